//! The core at work, for a counter of instructions: `work NAME TIMES FILE`.
//!
//! `FILE` holds for each robots.txt its length in eight octets, greatest first, and its octets, and then in the same way
//! the URLs to ask of it, a line each. Whoever counts once with 1 and once with 2 times knows what one time costs.

use std::hint::black_box;
use std::io::{Error, ErrorKind};
use std::process::ExitCode;
use std::sync::Arc;

use acap_policy::deciding::batch::{self, Asked, Urls, rest_of};
use acap_policy::deciding::{Question, View, Viewed};
use acap_policy::reading::{Dialect, Policy, usage};

const CRAWLER: &str = "Googlebot";

struct Site {
    octets: Arc<[u8]>,
    urls: Vec<String>,
}

fn sites(path: &str) -> Result<Vec<Site>, Error> {
    let octets = std::fs::read(path)?;
    let mut rest = &*octets;
    let mut block = move || {
        let (length, after) = rest.split_first_chunk::<8>()?;
        let (one, beyond) = after.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)?;
        rest = beyond;
        Some(one)
    };
    let mut sites = Vec::new();
    while let Some(octets) = block() {
        let urls = block().ok_or_else(|| Error::new(ErrorKind::InvalidData, "a robots.txt without its URLs"))?;
        let urls = String::from_utf8_lossy(urls).lines().map(str::to_owned).collect();
        sites.push(Site { octets: octets.into(), urls });
    }
    Ok(sites)
}

fn read(site: &Site) -> Viewed {
    Policy::read(site.octets.clone(), None, Dialect::AUTO, None).into()
}

fn ask(policy: &Viewed, url: &str) {
    if let Ok(rest) = rest_of(policy, url.as_bytes()) {
        black_box(policy.crawl(CRAWLER, &policy.dialect.form.path(rest, url.as_bytes())));
    }
}

fn ask_all_at_once(policy: &Viewed, view: Arc<View>, urls: &Urls) {
    let asked = Asked { views: &[view], purposes: &[None], question: &Question::about(&[]) };
    drop(black_box(batch::decide(policy, &asked, urls, &[usage::CRAWL])));
}

fn work(name: &str, times: usize, path: &str) -> Result<(), Error> {
    let sites = sites(path)?;
    // Every work has the same before it, so that its count holds nothing else.
    let policies: Vec<Viewed> = sites.iter().map(read).collect();
    let views: Vec<Arc<View>> = policies.iter().map(|policy| policy.view(&[CRAWLER])).collect();
    let batches: Vec<Urls> = sites.iter().map(|site| site.urls.iter().map(String::as_bytes).collect()).collect();
    let each = || policies.iter().zip(&sites);
    for _ in 0..times {
        match name {
            "reading" => sites.iter().for_each(|site| drop(black_box(read(site)))),
            "reading-and-one-question" => sites.iter().for_each(|site| {
                let policy = black_box(read(site));
                site.urls.first().into_iter().for_each(|url| ask(&policy, url));
            }),
            "questions" => each().for_each(|(policy, site)| site.urls.iter().for_each(|url| ask(policy, url))),
            "yes-or-no" => each().for_each(|(policy, site)| {
                site.urls.iter().for_each(|url| {
                    black_box(policy.allows_at_once(CRAWLER.as_bytes(), url.as_bytes()));
                });
            }),
            "questions-at-once" => policies
                .iter()
                .zip(&views)
                .zip(&batches)
                .for_each(|((policy, view), urls)| ask_all_at_once(policy, view.clone(), urls)),
            _ => return Err(Error::new(ErrorKind::InvalidInput, "unknown work")),
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [name, times, path] => match times.parse() {
            Ok(times) => work(name, times, path),
            Err(_) => Err(Error::new(ErrorKind::InvalidInput, "TIMES must be a number")),
        },
        _ => Err(Error::new(ErrorKind::InvalidInput, "usage: work NAME TIMES FILE")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("work: {error}");
            ExitCode::FAILURE
        }
    }
}
