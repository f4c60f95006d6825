//! Crawlers together are told what each is told alone.

use super::*;
use crate::dialect::Dialect;
use crate::reach::Extent;
use crate::usage;

const CRAWLERS: [&[&str]; 6] =
    [&["a"], &["b"], &["Googlebot"], &["Applebot", "Googlebot"], &["Googlebot-News", "Googlebot"], &["c", "a"]];

fn panel() -> Panel {
    let crawlers = CRAWLERS.iter().map(|names| names.iter().map(|name| (*name).to_owned()).collect()).collect();
    Panel::new(crawlers, vec![usage::CRAWL, usage::AI_TRAIN])
}

/// What each crawler is told, and what it is told alone.
fn both(text: &'static str) -> [Vec<Said>; 2] {
    let policy = Policy::read(text.as_bytes().into(), Some("https://a.example/"), Dialect::AUTO, None);
    let of = |panel: &Panel, crawler: u32| {
        let found = panel.survey(&policy, 0);
        let class = found.others.iter().find(|(of, _)| *of == crawler).map_or(0, |(_, class)| *class);
        found.said.chunks(2).nth(to_usize(class)).unwrap().to_vec()
    };
    let alone = |names: &&[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        of(&Panel::new(vec![names], vec![usage::CRAWL, usage::AI_TRAIN]), 0)
    };
    let together = (0..to_u32(CRAWLERS.len())).flat_map(|crawler| of(&panel(), crawler)).collect();
    let mut by_view = Vec::new();
    for crawler in 0..to_u32(CRAWLERS.len()) {
        panel().ask(&policy, crawler, 0, &mut Work::of(REACH_WORK), &mut by_view);
    }
    assert_eq!(CRAWLERS.iter().flat_map(alone).collect::<Vec<_>>(), by_view, "{text}");
    [together, by_view]
}

#[test]
fn crawlers_are_told_what_they_are_told_alone() {
    for text in [
        "",
        "User-agent: *\nDisallow: /\n",
        "User-agent: a\nDisallow: /\nUser-agent: *\nDisallow: /x\n",
        "User-agent: A/1.0\nuser-agent: b\nDisallow: /\n\nUser-agent: b\nAllow: /y\nUser-agent: googlebot\n",
        "User-agent: Google-Extended\nDisallow: /\nUser-agent: Googlebot-News\nDisallow: /n\n",
        "User-agent: a\nContent-Signal: ai-train=no\nUser-agent: b\nAllow: /\nUser-agent: *\nDisallow: /q\n",
        "User-agent: c\nLicense: https://l.example/x\nDisallow:\n",
        "ACAP-crawler: Google-Extended\nACAP-disallow-crawl: /\nACAP-crawler: A\nACAP-allow-index: /x\nACAP-crawler: *\nACAP-disallow-crawl: /y\n",
        "User-agent: c\nDisallow: /\nACAP-crawler: a\nACAP-allow-crawl: /\nACAP-crawler: \x01\nACAP-disallow-crawl: /y\n",
        "User-agent: *\nAllow: /\nACAP-crawler: b\nACAP-disallow-crawl: /\n",
        "User-agent: *\nDisallow: /a/../b\nDisallow: /a\nAllow: /a\nUser-agent: c\nAllow: /\nDisallow: /*\nAllow: /robots.txt",
        "User-agent: b\nDisallow: /\nAllow: /x\nUser-agent: c\nDisallow: /robots.txt\nUser-agent: *\nDisallow:",
        "User-agent: b\nAllow: /index.html\nDisallow: /\nUser-agent: *\nDisallow: /*?\nAllow: /*?x\n",
        "User-agent: b\nDisallow: $\nAllow: *\nUser-agent: *\nDisallow: /$\nUser-agent: a\nDisallow: *a$\nDisallow: b",
        "Disallow: /q\nUser-agent: *\nUser-agent: b\nAllow:\nDisallow: *\nUser-agent: a\nUser-agent: *\nDisallow: /%41",
        "User-agent: b\nRobot-version: 2.0.0\nAllow: *a*\nUser-agent: *\nDisallow: /\nAllow: /*a$\nUser-agent: c\n",
        "User-agent: a\x01b\nDisallow: /z\nUser-agent: c\nAllow: /z",
        "\x1F\x08\x00",
    ] {
        let [together, alone] = both(text);
        assert_eq!(together, alone, "{text}");
    }
}

#[test]
fn an_operator_is_told_the_strictest_of_what_its_crawlers_are_told() {
    let text = "User-agent: b\nDisallow: /\nUser-agent: a\nDisallow:\nUser-agent: *\nDisallow: /x\n";
    let policy = Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
    let panel = panel().with_operators(vec![vec![0, 1], vec![2, 3], vec![0, 5], vec![0, 2]]);
    let found = panel.survey(&policy, 0);
    let extent = |operator: u32| {
        let class = found.others.iter().find(|(of, _)| *of == 6 + operator).map_or(0, |(_, class)| *class);
        found.of_class(class, 2)[0].extent
    };
    assert_eq!((extent(0), extent(1), extent(2), extent(3)), (Extent::All, Extent::Some, Extent::None, Extent::Some));
}

#[test]
fn crawlers_that_hear_the_same_are_one_class() {
    let policy = |text: &'static str| Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
    let classes = |text| panel().survey(&policy(text), 0).said.len() / 2;
    // Crawlers of two operators have control tokens.
    assert_eq!(classes("User-agent: *\nDisallow: /\n"), 3);
    assert_eq!(classes("User-agent: a\nUser-agent: b\nDisallow: /\n"), 3);
    assert_eq!(classes("User-agent: b\nDisallow: /\n"), 4);
}
