// robots-parser, asked by the protocol of benchmarks/programs.py.
"use strict";
const robotsParser = require("robots-parser");

const SITE = "https://www.example.com/robots.txt";
const files = [];
const policies = [];
const questions = [];

const parse = (text) => robotsParser(SITE, text);

function read(first, before) {
  for (let place = first; place < before; place++) policies[place] = parse(files[place]);
}

function decide(first, before) {
  const answers = [];
  for (let place = first; place < before; place++) {
    const [file, crawler, url] = questions[place];
    answers.push(policies[file].isAllowed(url, crawler));
  }
  return answers;
}

function each(first, before) {
  const answers = [];
  for (let place = first; place < before; place++) {
    const [file, crawler, url] = questions[place];
    answers.push((policies[file] = parse(files[file])).isAllowed(url, crawler));
  }
  return answers;
}

// Nanoseconds of the process, the work of its compiler and collector with it.
function timed(work, first, before, times) {
  const start = process.cpuUsage();
  let answers;
  for (let round = 0; round < times; round++) answers = work(first, before);
  const { user, system } = process.cpuUsage(start);
  const digits = (answers ?? []).map((answer) => (answer === false ? "0" : "1")).join("");
  return `${(user + system) * 1000} ${digits}`.trim();
}

function answer(line) {
  const [verb, ...words] = line.split(" ");
  if (verb === "version") return require("robots-parser/package.json").version;
  if (verb === "ask") {
    questions.push([Number(words[0]), words[1], words.slice(2).join(" ")]);
    return null;
  }
  const [first, before, times] = words.map(Number);
  if (verb === "decide") {
    for (let place = first; place < before; place++) policies[questions[place][0]] ??= parse(files[questions[place][0]]);
  }
  return timed({ read, decide, each }[verb], first, before, times);
}

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
  for (;;) {
    const end = rest.indexOf(10);
    if (end < 0) return;
    const line = rest.toString("utf8", 0, end);
    if (line.startsWith("file ")) {
      const beyond = end + 1 + Number(line.slice(5));
      if (rest.length <= beyond) return;
      files.push(rest.toString("utf8", end + 1, beyond));
      rest = rest.subarray(beyond + 1);
      continue;
    }
    rest = rest.subarray(end + 1);
    const said = answer(line);
    if (said !== null) process.stdout.write(`${said}\n`);
  }
});
