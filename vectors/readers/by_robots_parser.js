// robots-parser (npm) as a reader of the open vectors: it reads no signals, and robots.txt alone; ai.txt has that grammar.
//
//     vectors/run -- node vectors/readers/by_robots_parser.js

const parse = require("robots-parser");

require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  const body = (question.input.document || {}).body;
  let answer = "unsupported";
  if (question.dialect === "ai-txt" && body !== undefined) {
    const text = typeof body === "string" ? body : Buffer.from(body.base64, "base64").toString("utf-8");
    const refused = parse(new URL("/robots.txt", question.ask.url).href, text).isDisallowed(question.ask.url, question.ask.crawler[0]);
    answer = refused ? "prohibited" : "silent";
  }
  process.stdout.write(JSON.stringify({ id: question.id, answer }) + "\n");
});
