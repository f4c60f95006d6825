use super::*;

fn of(text: &str) -> Read<Option<String>> {
    robots(Value::Text(text.as_bytes())).map(|found| found.map(|one| String::from_utf8_lossy(&one).into_owned()))
}

#[test]
fn words_for_no_value_are_none_of_a_text_and_octets_of_octets() {
    for word in ["None", " NaN\n", "<NA>", "\\N", "null", "-", "\u{A0}n/a\u{3000}", "\u{FEFF}None"] {
        assert_eq!(of(word), Ok(None), "{word:?}");
    }
    for text in ["unknown", "0", "True", "404", "Not found", "[]", "/robots.txt", "s3://a/b.txt", "<empty>"] {
        assert_eq!(of(text), Ok(None), "{text:?}");
        assert_eq!(robots(Value::Octets(text.as_bytes())), Ok(Some(Cow::Borrowed(text.as_bytes()))));
    }
    for text in [
        "",
        "# none",
        "Not\nfound",
        "\x1F\u{8B}\x08\0",
        "Nonesuch: /",
        "a:\n//",
        "see https://a.example/ : b",
        "<p>Not found",
        "Disallow /",
        "User-agent: *\nDisallow: /none",
    ] {
        assert_eq!(of(text), Ok(Some(text.to_owned())));
    }
    assert_eq!(robots(Value::Octets(b"None")), Ok(Some(Cow::Borrowed(&b"None"[..]))));
}

#[test]
fn one_line_about_a_request_that_failed_is_no_robots_txt() {
    for note in [
        "error",
        "ERR",
        "<class 'requests.exceptions.ReadTimeout'>",
        " ReadTimeout\n",
        "HTTPError: 503",
        "Connection refused",
        "timed out",
        "Service Unavailable",
    ] {
        assert_eq!(of(note), Ok(None), "{note:?}");
    }
    let files = ["Disallow: /error", "# error", "<p>error", "an\nerror", "404: /", "5033:", "HTTPS:"];
    for text in files.into_iter().chain([&*format!("{}error:", "x".repeat(notes::LONGEST_NOTE))]) {
        assert_eq!(of(text), Ok(Some(text.to_owned())));
    }
    assert_eq!(robots(Value::Octets(b"error")), Ok(Some(Cow::Borrowed(&b"error"[..]))));
}

#[test]
fn lines_that_no_site_sent_are_no_robots_txt() {
    let fields = ["User-agent: *", "Disallow: /"];
    for text in [
        fields.join("\\n\n") + "\\n",
        fields.join("\\r\\n\r\n") + "\\r\\n\r\n",
        fields.join("_x000D_\n") + "_x000D_\n",
        format!("[\n \"{}\",\n \"{}\"\n]", fields[0], fields[1]),
        format!("['{}',\n '{}']", fields[0], fields[1]),
        format!("<html><body><pre style=\"white-space: pre\">{}\n{}</pre></body></html>", fields[0], fields[1]),
    ] {
        assert_eq!(of(&text), Err(Unreadable::Lines), "{text:?}");
    }
    let response = format!("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}\n{}", fields[0], fields[1]);
    assert_eq!(of(&response), Err(Unreadable::Octets));
    assert_eq!(robots(Value::Octets(response.as_bytes())), Err(Unreadable::Octets));
    for text in ["User-agent: *\nDisallow: /a\\nb", "[a]\nUser-agent: *", "<p>\nUser-agent: *", "# \\n\nAllow: /"] {
        assert_eq!(of(text), Ok(Some(text.to_owned())));
    }
}

#[test]
fn what_python_shows_of_octets_is_read_and_nothing_else_like_it() {
    let octets = |text: &str| of_repr(text.as_bytes());
    assert_eq!(octets(r#" b'a\n\x41\\\'"' "#), Some(Ok(b"a\nA\\'\"".to_vec())));
    assert_eq!(octets(r#"b"it's""#), Some(Ok(b"it's".to_vec())));
    let broken = [
        "b'a",
        "b'",
        "B'a'",
        "u'a'",
        "bytearray(b'a')",
        "np.bytes_(b'a')",
        "b'a' 'b'",
        "b'\u{E9}'",
        r"b'\q'",
        r"b'\xg0'",
        "b'b\\'a\\''",
        "<memory at 0x7f01>",
        "<_io.BytesIO object at 0x7F01>",
        "[B@1f3a",
        "b'a\nb'",
        "Binary(b'')",
    ];
    for text in broken {
        assert_eq!(octets(text), Some(Err(Unreadable::Octets)), "{text}");
    }
    for text in ["a", "", "b", "'a'", "<p>b'x'", "<a>\n at 0x1>", "[B@x", "User-agent: b'x'", "<p at 0x>"] {
        assert_eq!(octets(text), None, "{text}");
    }
    assert_eq!(robots(Value::Octets(b"b'a")), Err(Unreadable::Octets));
}

#[test]
fn a_robots_txt_in_one_line_or_in_another_coding_is_none() {
    for text in [r"User-agent: *\nDisallow: /\n", r"User-agent: *\x0ADisallow: /", r"A: b\012C: d"] {
        assert_eq!(of(text), Err(Unreadable::Lines));
    }
    let joined = [
        "User-agent: * Disallow: /",
        "User-agent: *Disallow: /",
        "User-agent: botDISALLOW : /",
        "# a User-agent: * Disallow: /",
        "ACAP-crawler: * ACAP-disallow-crawl: /",
        "\"User-agent: *\nDisallow: /\"",
        "'A: b'",
        "\"\"",
        "\"User-agent: *\nDisallow: /",
        "{\n \"body\": \"User-agent: *\\nDisallow: /\"\n}",
        r"User-agent: *\u000aDisallow: /",
        r"User-agent: *\12Disallow: /",
        r"User-agent: *\x{a}",
    ];
    for text in joined {
        assert_eq!(of(text), Err(Unreadable::Lines), "{text}");
    }
    for text in ["Sitemap: https://a.example:8080/s.xml", "User-agent: *", "Content-Signal: ai-train=no", "a: b: c: d"]
    {
        assert_eq!(of(text), Ok(Some(text.to_owned())), "{text}");
    }
    let coded = [
        "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=",
        "VXNlci1hZ2VudDog\r\nKgpEaXNhbGxvdzog",
        "\\x557365722d6167656e743a202a",
        "557365722d6167656e743a202a",
        "0x557365722d6167656e743a202",
        "X'557365722d6167656e743a202a'",
        "55 73 65 72 2d 61 67 65 6e 74 3a 20 2a",
        r"\x55\x73\x65\x72\x2d\x61\x67\x65\x6e\x74\x3a\x20\x2a",
        "data:text/plain;base64,VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=",
        "VlhObGNpMWhaMlZ1ZERvZ0tncEVhWE5oYkd4dmR6b2dMd289",
        "H4sIAAAAAAAAAwtNLdJNTE9MzePSUnDJLE5MTExOVdDnAgAu",
        "VXNl ci1h Z2Vu dDog KgpE aXNh bGxv dzog Lwo=",
        "KVZWK4RNMFTWK3TUHIQCUCSENFZWC3DMN53TUIBPBI======",
        "kvzwk4rnmftwk3tuhiqcucsenfzwc3dmn53tuibpbi",
        "ALPMASHDC5JMARJK78G2K2I4D5PM2R3CDTRJK81F18",
        "<HD_l/R`:'DKIo^.LJRXF(&m$Dg+5b0+%",
        "RdZ!>En#P6Zge^zDhfntb75?3Z+AK%FA4",
        r#"{"robots": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo="}"#,
        "{\"type\":\"Buffer\",\"data\":[85,115,101,114,45,97,103,101,110,116,58,32,42]}",
        "85,115,101,114,45,97,103,101,110,116,58,32,42",
        "User-agent%3A+*%0ADisallow%3A+%2F",
        "b'VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo='",
        "java.nio.HeapByteBuffer[pos=0 lim=26 cap=26]",
        "System.Byte[]",
        "[object Object]",
        "<Response [200]>",
        "<Buffer 55 73>",
        "#REF!",
        "[85, 115, 101]",
        "BinData(0,'VXNlci1h')",
        "{'$binary': 'VXNlci1h'}",
        "\u{EF}\u{BB}\u{BF}# \u{2019}",
    ];
    for text in coded {
        assert_eq!(of(text), Err(Unreadable::Octets), "{text}");
    }
    for octets in [
        &b"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo="[..],
        br"VXNlci1hZ2VudDog\nKgpEaXNhbGxvdzogLwo=",
        b"557365722d6167656e743a202a",
    ] {
        assert_eq!(robots(Value::Octets(octets)), Err(Unreadable::Octets));
    }
    for text in ["forbidden:", "Disallow: /\\n\n#", "<p>Not found", "{\"a\": 1}", "# 50%"] {
        assert_eq!(of(text), Ok(Some(text.to_owned())));
    }
}

#[test]
fn a_page_in_another_coding_is_none() {
    let coded = [
        "PHA+YSBwYWdlPC9wPg==",
        "3c703e612070616765",
        r#"<meta name=\"robots\" content=\"noindex\">\n"#,
        r#""<meta name=\"robots\" content=\"noindex\"><p>""#,
        "<p>\n<meta name=\\\"robots\\\">",
        "<meta name=\"\"robots\"\" content=\"\"noindex\"\">",
        r#"["<meta name=\"robots\">", "<p>"]"#,
        r#""\u003cmeta name=\"robots\"\u003e""#,
        r#""\"<meta name=\\\"robots\\\">\"""#,
        "&lt;meta name=robots&gt;",
        "PHA+ YSBw YWdl PC9w Pg==",
        "<html lang=en><meta name=\\\"robots\\\">\n",
        "<html lang='en'><meta name=\"\"robots\"\">\n",
        r#"<script>f('<a b=\"c\">')<\/script><meta name=\"robots\">"#,
        "<script>f('<a b=\"\"c\"\">')</script>\n<meta name=\"\"robots\"\">",
        "<style>a{}</style>\n<p class=\\\"a\\\">",
        "<html lang=\"en\">\n<meta name=\\'robots\\'>",
        "<html lang=\"en\">\n<meta name=''robots''>",
        "a\n<meta name=\\\"robots\\\">",
        r#"\n\t<p>\ufeff<meta name=\"robots\">"#,
        r#"'<html lang="en"><meta name=\'robots\'>'"#,
        r#"("<p>", '<p a="b"><meta name=\'robots\'>')"#,
        r#"a\u003cmeta name=\"robots\"\u003e"#,
        "a &lt;meta name=&quot;robots&quot;&gt;",
        r#"\"\n<html lang=en> \"a=\""#,
    ];
    for text in coded {
        assert!(is_coded_page(text.as_bytes()), "{text}");
    }
    let plain = [
        r#"<p id="a"><script>f("<a b=\"c\">\n")</script>"#,
        "<p>\\n",
        "Abcdefghijklmnopqrst",
        "",
        "<p a=b>",
        "<p a=\"\" b=\"c\">",
        r#"<p><script>f("<a b=\"c\">")</script>"#,
        r#"{"a": "<b c=\"d\">"}"#,
        "a &lt; b",
        "Write &lt;title&gt;",
        r#"<title>a=\"b\"</title><p class="c">"#,
        r#"<html lang=en><script>f('<a b=\"c\">')</script><p class="c">"#,
        r#"<html lang=en><script>f('<a b=\"c\">')</script><p>"#,
        r#"<p a="b"><script>f("<script>a<\/script><meta name=\"robots\">")</script>"#,
        "<p a=b><script>\n",
        "<a b=''>it's</a><script>f('<meta name=\\'robots\\'>')</script>",
        "<p alt=\"\"title=\"\"><p class=\"c\">",
        "var a = '<p class=\\\"b\\\">'",
        "a &lt;meta name=robots&gt;",
        "a &lt;metadata name=&quot;b&quot;&gt;",
    ];
    for text in plain {
        assert!(!is_coded_page(text.as_bytes()), "{text}");
    }
}

#[test]
fn a_tag_whose_blanks_were_written_as_something_else_is_none() {
    let written = [
        r#"<head>\n<meta name="robots"\ncontent="noindex">"#,
        r#"<p>a<meta\n  name="robots" content="noindex">"#,
        r#"<meta\tname="robots"\tcontent="noindex">"#,
        r#"<meta_x000D_ name="robots" content="noindex">"#,
        r#"<meta\x0Aname="robots">"#,
        r#"<META\012name="robots">"#,
        r#"<meta\u000aname="robots">"#,
        r#"<meta\\r\\nname="robots">"#,
        r"<meta name=robots content=noindex\n>",
        r"<meta name=robots\ncontent=noindex>",
        r#"<meta name="robots" content=\n"noindex">"#,
        r#"<meta name="robots" content="\n  noindex,\n  nofollow\n">"#,
        r#"<meta name="robots" content="a, noindex\n">"#,
        "<meta\\\nname='robots'>",
        "text\n<meta\\tname='robots'>",
        r#"<link\nrel="license" href="/l">"#,
        r"<link rel=license\n href=/l>",
        r#"<a\n  rel="license" href="/l">"#,
        r#"<script>f("\n")</script><link\n rel="license">"#,
        r#"<script src="a"/><meta\nname="robots"><script></script>"#,
        r#"<style>a{}<\/style><meta\nname='robots'>"#,
        r#"<script\ntype="application/ld+json">"#,
        r#"<p title="a\"><meta\nname='robots'>"#,
    ];
    for text in written {
        assert!(is_coded_page(text.as_bytes()), "{text}");
    }
    let plain = [
        r#"<p>\n<meta name="robots" content="noindex">\n</p>"#,
        r#"<meta name="description" content="Two\nlines, no\nindex">"#,
        r"<img src=images\new.gif><a href=..\test.asp?id=5>b</a>",
        r#"<p>$a<b\nu=c$ and $x<y \text{ if } z>0$"#,
        r#"<p>$a<bc\neq d$, $a<pq\rangle$"#,
        r#"<script>f("<meta\nname='robots'>")</script><p>"#,
        r#"<p onclick='f("<meta\n name=robots>")' class="a\nb=c">"#,
        r"<p>\n <1\nb=c> <!-- \n --> a < b\nc=d",
        r#"{"a": "<link\nrel='b'>"}"#,
        r#"var a = "<div\nclass='b'>""#,
        "<p a=\\\n>",
        r#"<metadata\nfoo>"#,
        r"<meta name=a content=b_x000>",
    ];
    for text in plain {
        assert!(!is_coded_page(text.as_bytes()), "{text}");
    }
    assert!(has_page_within(br#"{"a": "<meta\nname='robots'>"}"#));
    assert!(!has_page_within(br#"{"a": "<meta name='robots'>\n"}"#));
}

#[test]
fn json_has_a_page_within_where_its_meta_elements_or_all_of_it_are_there() {
    let within = [
        r#" {"html": "<meta name=\"robots\" content=\"noindex\">"}"#,
        "{\n \"a\": \"<html lang=\\\"en\\\">\"\n}",
        r#"["a", "\u003cmeta name=\u0022robots\u0022\u003e"]"#,
        r#""{\"a\": \"<META name=\\\"robots\\\">\"}""#,
        r#"('a', "<!doctype html><p a=\"b\">")"#,
    ];
    for text in within {
        assert!(has_page_within(text.as_bytes()), "{text}");
    }
    let none = [
        r#"{"a": "<b c=\"d\">"}"#,
        r#"{"a": "<metadata c=\"d\">, &lt;meta name=\"robots\"&gt;"}"#,
        r#"{'a': '<meta name="robots">'}"#,
        r#"{"a": "<html><meta name=robots>"}"#,
        r#"a "<meta name=\"robots\">""#,
        "",
    ];
    for text in none {
        assert!(!has_page_within(text.as_bytes()), "{text}");
    }
}

#[test]
fn whatever_is_written_is_read_in_time_that_grows_with_it() {
    for part in [
        "<",
        "<meta ",
        "\\u003c",
        "\"",
        "=\"",
        "&lt;meta =",
        "<script",
        "</script",
        "V",
        "5 ",
        "{\"",
        "\\",
        "%3",
        "\\n",
        "<meta \\n",
        "\\na",
        "_x000D_a",
        "<p =\"\\n",
        "<p\\na\\n",
        "\\n<script",
    ] {
        let text = format!("{{{}", part.repeat(100_000));
        for text in [text.as_bytes(), text.as_bytes().get(1..).unwrap()] {
            assert!(!has_page_within(text) || part.contains("meta"));
            is_coded_page(text);
            robots(Value::Text(text)).ok();
        }
    }
}

#[test]
fn numbers_words_and_truths_are_read_of_texts_too() {
    for (text, found) in
        [("200", Ok(Some(200))), (" 404.0 ", Ok(Some(404))), ("-", Ok(None)), ("OK", Err(Unreadable::Value))]
    {
        assert_eq!(status(Value::Text(text.as_bytes())), found);
    }
    for number in [-1.0, 99.0, 200.5, 1000.0, f64::INFINITY] {
        assert_eq!(status(Value::Number(number)), Err(Unreadable::Value));
    }
    assert_eq!(status(Value::Text(b"nan")), Err(Unreadable::Value));
    assert_eq!((status(Value::Number(f64::NAN)), state(Value::Number(f64::NAN))), (Ok(None), Ok(None)));
    assert_eq!(state(Value::Octets(b" Absent")), Ok(Some(404)));
    assert_eq!(
        (state(Value::Text(b"gone")), state(Value::Truth(true))),
        (Err(Unreadable::Value), Err(Unreadable::Value))
    );
    assert_eq!((truth(Value::Number(1.0)), truth(Value::Text(b"F"))), (Ok(true), Ok(false)));
    assert_eq!((truth(Value::Text(b"no")), truth(Value::Other)), (Err(Unreadable::Value), Err(Unreadable::Value)));
}

#[test]
fn a_row_is_an_answer_where_its_parts_agree() {
    let (file, page) = (Some(&b"User-agent: *\nDisallow: /"[..]), Some(&b"Not found"[..]));
    let of = |octets, status, state| Answer::of(octets, status, state, false, false);
    assert_eq!((of(file, None, None), of(None, None, None)), (Answer::Status(200), Answer::None));
    assert_eq!((of(None, Some(200), None), of(None, Some(404), None)), (Answer::None, Answer::Status(404)));
    assert_eq!((of(file, Some(200), Some(404)), of(file, None, Some(503))), (Answer::OtherState, Answer::Status(503)));
    assert_eq!((of(file, Some(404), Some(404)), of(page, Some(404), None)), (Answer::Status(200), Answer::Status(404)));
    assert_eq!((of(file, Some(403), None), of(file, Some(429), None)), (Answer::Refused, Answer::Status(429)));
    assert_eq!(Answer::of(file, Some(404), None, true, false), Answer::Cut);
    assert_eq!(Answer::of(file, None, None, false, true), Answer::Short);
    assert_eq!(Answer::of(page, Some(404), None, false, true), Answer::Status(404));
}

#[test]
fn a_mark_of_utf_8_in_latin_1_gives_the_octets_back() {
    let found = robots(Value::Text("\u{EF}\u{BB}\u{BF}# caf\u{C3}\u{A9}".as_bytes()));
    assert_eq!(found.unwrap().unwrap().as_ref(), "\u{FEFF}# caf\u{E9}".as_bytes());
}

#[test]
fn an_end_that_was_written_ends_a_header_where_a_name_or_nothing_follows() {
    for text in [r"a\nB: c", r"a\x0D\x0AB:c", r"a\u{a}B :", r"a\r\n", r"a\012"] {
        assert!(has_written_header(text.as_bytes()), "{text}");
    }
    for text in [r"C:\new\robots", r"a\x0B: c", r"a\nb, c: d", "a\nB: c", ""] {
        assert!(!has_written_header(text.as_bytes()), "{text}");
    }
}
