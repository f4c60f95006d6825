//! texting_robots or fast-robots, as the first argument says, asked by the protocol of benchmarks/programs.py.

use std::error::Error;
use std::io::{BufRead, Read, Write, stdin, stdout};

use cpu_time::ProcessTime;
use fast_robots::RobotsTxt;
use texting_robots::Robot;

trait Peer {
    type Policy;

    const VERSION: &'static str;

    /// What it is asked by, made of a URL before anything is measured.
    fn asked(url: &str) -> &str {
        url
    }

    fn read(octets: &'static [u8], crawler: &str) -> Self::Policy;
    fn allows(policy: &Self::Policy, crawler: &str, url: &str) -> bool;
}

/// Reads a file for one crawler, and keeps its rules alone; asked by URLs.
struct TextingRobots;

impl Peer for TextingRobots {
    type Policy = Option<Robot>;

    const VERSION: &'static str = "0.2.2";

    fn read(octets: &'static [u8], crawler: &str) -> Self::Policy {
        Robot::new(crawler, octets).ok()
    }

    fn allows(policy: &Self::Policy, _crawler: &str, url: &str) -> bool {
        policy.as_ref().is_some_and(|policy| policy.allowed(url))
    }
}

/// Borrows from the text; asked by paths, as its documentation does.
struct FastRobots;

impl Peer for FastRobots {
    type Policy = RobotsTxt<'static>;

    const VERSION: &'static str = "0.1.5";

    fn read(octets: &'static [u8], _crawler: &str) -> Self::Policy {
        RobotsTxt::parse(std::str::from_utf8(octets).unwrap_or_default())
    }

    fn asked(url: &str) -> &str {
        url.splitn(4, '/').nth(3).map_or("/", |rest| &url[url.len() - rest.len() - 1..])
    }

    fn allows(policy: &Self::Policy, crawler: &str, path: &str) -> bool {
        policy.is_allowed(crawler, path)
    }
}

struct Question {
    file: usize,
    crawler: String,
    url: String,
}

fn serve<P: Peer>(crawler: &str) -> Result<(), Box<dyn Error>> {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut files: Vec<&'static [u8]> = Vec::new();
    let mut policies: Vec<Option<P::Policy>> = Vec::new();
    let mut questions: Vec<Question> = Vec::new();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let words: Vec<&str> = line.trim_end_matches('\n').splitn(4, ' ').collect();
        match words[..] {
            ["version"] => writeln!(output, "{}", P::VERSION)?,
            ["file", length] => {
                let mut octets = vec![0; length.parse::<usize>()? + 1];
                input.read_exact(&mut octets)?;
                octets.pop();
                // A policy may borrow from its text. Both read UTF-8: the rest is replaced, as the other peers do.
                files.push(String::from_utf8_lossy(&octets).into_owned().leak().as_bytes());
                policies.push(None);
            }
            ["ask", file, crawler, url] => {
                questions.push(Question { file: file.parse()?, crawler: crawler.to_owned(), url: P::asked(url).to_owned() });
            }
            [verb, first, before, times] => {
                let places = first.parse::<usize>()?..before.parse()?;
                if verb == "decide" {
                    for question in &questions[places.clone()] {
                        policies[question.file].get_or_insert_with(|| P::read(files[question.file], crawler));
                    }
                }
                let mut answers = String::new();
                let start = ProcessTime::now();
                for _ in 0..times.parse()? {
                    answers.clear();
                    for place in places.clone() {
                        if verb == "read" {
                            policies[place] = Some(P::read(files[place], crawler));
                            continue;
                        }
                        let Question { file, crawler: asked, url } = &questions[place];
                        if verb == "each" {
                            policies[*file] = Some(P::read(files[*file], crawler));
                        }
                        let allowed = policies[*file].as_ref().is_some_and(|policy| P::allows(policy, asked, url));
                        answers.push(if allowed { '1' } else { '0' });
                    }
                }
                let took = start.elapsed().as_nanos();
                writeln!(output, "{}", format!("{took} {answers}").trim_end())?;
            }
            _ => return Err(format!("unknown request: {line}").into()),
        }
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [name, crawler] if name == "texting_robots" => serve::<TextingRobots>(crawler),
        [name, crawler] if name == "fast-robots" => serve::<FastRobots>(crawler),
        _ => Err("usage: peers texting_robots|fast-robots CRAWLER".into()),
    }
}
