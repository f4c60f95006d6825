"""Whatever carries a statement is found by one function, which the command line and the API share."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import json
import lzma
import pickle
import subprocess
import sys
import weakref
import zipfile
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap import Crawler, Facts, decide, decide_each, parse_page, parse_robots
from acap.archives.page_licences import licences_in
from acap.carriers import carriers, declared_by_name, format_of
from acap.dialects.rsl.associations import RslLicences
from acap.schema import decision_to_json
from acap.usages import USAGES
from tests import embedded_files as files
from tests.codings import CODINGS
from tests.command_line import NO_RULES, Result, acap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = "https://www.example.com/a"
PROHIBITED = files.data_mining("DMI-PROHIBITED")
NOINDEX = b'<!doctype html><html><head><title>x</title><meta name="robots" content="noindex"></head></html>'
TYPES = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "tiff": "image/tiff",
    "pdf": "application/pdf",
}


def docx() -> bytes:
    """A ZIP of one part."""
    octets = io.BytesIO()
    with zipfile.ZipFile(octets, "w") as archive:
        archive.writestr("word/document.xml", "<w:document/>")
    return octets.getvalue()


READ = {name: files.CONTAINERS[name] for name in TYPES}
UNREAD = {
    "a.gif": b"GIF89a\1\0\1\0\0\0\0;",
    "a.mp4": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom",
    "a.docx": docx(),
    "a.heic": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
    "a.mp3": b"ID3\4\0\0\0\0\0\0",
    "thing": bytes(range(256)),
}
SILENT = {"empty": b"", "a.txt": b"no markup here\n", "a.json": b'{"a": 1}', "latin": "é\n".encode("latin-1")}


def outcome(octets: bytes, usage: str = "index", declared: str | None = None) -> str:
    headers = {} if declared is None else {"Content-Type": declared}
    found = carriers(octets, url=URL, headers=headers)
    return str(decide(URL, crawler="a", usage=usage, page=found.page, others=found.others).outcome)


def checked(*arguments: str | Path, given: bytes = b"") -> Result:
    return acap("check", "-c", "a", *arguments, "--robots", NO_RULES, URL, given=given)


# --- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("declared", ["own", None, "application/octet-stream", "text/plain", "text/html", "image/gif"])
def test_the_metadata_of_a_file_is_read_whatever_it_is_declared_to_be(name: str, declared: str | None) -> None:
    octets = READ[name](PROHIBITED)
    assert outcome(octets, declared=TYPES[name] if declared == "own" else declared) == "prohibited"
    assert outcome(READ[name](files.data_mining("DMI-ALLOWED")), declared=TYPES[name]) == "permitted"


@given(st.sampled_from(sorted(READ)), st.floats(0, 1), st.booleans())
def test_a_file_that_is_cut_says_no_less(name: str, share: float, declared: bool) -> None:
    """Of whatever is left of it, its beginning included."""
    octets = READ[name](PROHIBITED)
    left = octets[: max(1, int(share * len(octets)))]
    for usage in ("index", "tdm", "ai-train"):
        assert outcome(left, usage, TYPES[name] if declared else None) == "prohibited"


@given(st.sampled_from(sorted(READ)), st.integers(0, 3), st.integers(0, 255))
def test_a_file_whose_beginning_is_damaged_says_no_less(name: str, place: int, octet: int) -> None:
    """The mark of its format is the one thing that tells what it is."""
    octets = bytearray(READ[name](PROHIBITED))
    octets[place] = octet
    for usage in ("index", "tdm"):
        assert outcome(bytes(octets), usage, TYPES[name]) == "prohibited"


@given(st.integers(0, len(NOINDEX)), st.sampled_from(["text/html", "application/xhtml+xml", "image/jpeg", ""]))
def test_a_response_that_is_cut_says_no_less(end: int, declared: str) -> None:
    """Its length being known; the whole one says what it says."""
    found = carriers(NOINDEX[:end], url=URL, headers={"Content-Type": declared}, length=len(NOINDEX))
    for usage in ("follow", "index", "preserve", "present", "other", "tdm"):
        decision = decide(URL, crawler="a", usage=usage, page=found.page, others=found.others)
        assert decision.outcome == "prohibited" or end == len(NOINDEX)


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_read_is_a_doubt(name: str) -> None:
    """It may have prohibited what metadata speaks of."""
    found = carriers(UNREAD[name], url=URL)
    assert {problem.severity for problem in found.problems} == {"error"}
    for usage in ("index", "tdm", "ai-train"):
        decision = decide(URL, crawler="a", usage=usage, page=found.page, others=found.others)
        assert decision.outcome == "prohibited"
        assert "not in a supported format" in decision.reason.decided_by[0].text


@pytest.mark.parametrize("name", SILENT)
def test_what_has_no_place_for_a_statement_is_silent_and_says_so(name: str) -> None:
    found = carriers(SILENT[name], url=URL)
    assert (found.statements(), found.problems) == ((), ())
    assert found.unseen is not None


@pytest.mark.parametrize("declared", ["application/xhtml+xml", "text/html", None])
def test_a_page_is_one_with_and_without_its_type(declared: str | None) -> None:
    octets = NOINDEX.replace(b"<html>", b'<html xmlns="http://www.w3.org/1999/xhtml">')
    assert outcome(octets, declared=declared) == "prohibited"


def test_what_may_be_a_page_prohibits_and_does_not_permit() -> None:
    """Nothing decides whether it is one: it begins as no page does, and nobody said what it is."""
    octets = b'words before <meta name="robots" content="noindex"><meta name="a" content="ACAP allow-preserve">'
    found = carriers(octets, url=URL)
    assert found.form == "open"
    assert {one.outcome for one in found.statements()} == {"prohibited"}
    assert decide(URL, crawler="a", usage="index", page=found.page, others=found.others).outcome == "prohibited"
    part = carriers(b'words before <p class="the-acap:disallow-preserve">x</p>', url=URL)
    assert decide(URL, crawler="a", usage="preserve", page=part.page, others=part.others).outcome == "prohibited"


LICENCE_PAGES = (
    b'<link rel=license type="application/rsl+xml" href="/l"><p>x',
    b'<script type="application/rsl+xml" src="/l"></script>',
    (
        b'<script type="application/rsl+xml"><rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
        b'<prohibits type="usage">search</prohibits></license></content></rsl></script>'
    ),
)


@pytest.mark.parametrize("octets", LICENCE_PAGES)
@pytest.mark.parametrize("declared", [None, "application/octet-stream"])
def test_a_licence_counts_that_is_named_by_what_may_be_a_page(octets: bytes, declared: str | None) -> None:
    """Where it is not at hand it may refuse what that of a page may, and nothing that it says permits."""
    pages = [((("Content-Type", kind),) if kind else ()) for kind in ("text/html", declared)]
    assert [licences_in(URL, headers, octets) for headers in pages] == [licences_in(URL, pages[0], octets)] * 2
    robots = RslLicences(robots=parse_robots(b"", url="https://www.example.com/robots.txt"))
    for usage in ("ai-train", "index", "preserve", "present-snippet"):
        read = [carriers(octets, url=URL, headers=headers) for headers in pages]
        said = [
            decide(URL, crawler="a", usage=usage, page=one.page, others=(*one.others, *others)).outcome
            for one in read
            for others in ((), (robots,))
        ]
        strictness = [("permitted", "conditional", "prohibited").index(one) for one in said]
        assert strictness[0] <= strictness[2]
        assert strictness[1] <= strictness[3]


NO_TEXTS = (
    "image/jpeg",
    "image/png",
    "application/pdf",
    "video/mp4",
    "application/zip",
    "application/msword",
    "font/woff2",
)
PACKET = b"<?xpacket begin=''?>" + PROHIBITED + b"<?xpacket end='r'?>"


@given(
    st.sampled_from(NO_TEXTS),
    st.sampled_from(("<!doctype html><html>", "<html>", "<meta name=a>", "", "words before ", "\ufeff\n", "<?xml?>")),
    st.sampled_from(("", '<meta name="robots" content="{}">', '<p class="the-acap:disallow-preserve">', "<b>1</b>")),
    st.sampled_from(("utf-8", "utf-16")),
)
def test_a_page_is_heard_whatever_it_is_declared_to_be(declared: str, before: str, meta: str, encoding: str) -> None:
    """Text that is called a picture, a film or a document is none that is read, and as a page it prohibits."""
    said = ("noindex", "ACAP disallow-preserve", "ACAP allow-index", "noai, noindex")
    pages = [meta.format(one) for one in said] if "{}" in meta else [meta]
    for octets in [(before + one).encode(encoding) for one in pages]:
        for types in ([declared], ["text/html", declared]):
            found = carriers(octets, url=URL, headers=[("Content-Type", one) for one in types])
            page = parse_page(octets, url=URL)
            assert (found.form in ("open", "file"), found.unseen) == (True, None)
            for usage in ("index", "tdm", "ai-train", "preserve"):
                outcome = decide(URL, crawler=Crawler("a", elements=False), usage=usage, page=found.policy).outcome
                alone = decide(URL, crawler=Crawler("a", elements=False), usage=usage, page=page).outcome
                assert outcome == "prohibited" or (usage == "preserve" and alone == "permitted")


MARKED = {
    "gif": b"GIF89a\1\0\1\0\x80\0\0!\xff\x0bXMP DataXMP" + PACKET + b";",
    "mp4": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + PACKET,
    "avif": b"\0\0\0\x1cftypavif\0\0\0\0" + PACKET,
    "heic": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + PACKET,
    "zip": b"PK\3\4" + bytes(40) + PACKET,
    "postscript": b"%!PS-Adobe-3.0\n" + PACKET,
    "bmp": b"BM\0\0\0\0\0\0\0\0" + PACKET,
    "icon": b"\0\0\1\0\1\0" + PACKET,
    "mp3": b"ID3\4\0\0\0\0\0\0" + PACKET,
    "pdf behind something": b"junk \0\n%PDF-1.4\n" + PACKET,
    "photoshop": b"8BPS\0\1" + PACKET,
    "eps with a preview": b"\xc5\xd0\xd3\xc6" + bytes(26) + PACKET,
    "indesign": b"\x06\x06\xed\xf5\xd8\x1d\x46\xe5" + PACKET,
    "xmp": PACKET,
    "xmp in utf-16": ("\ufeff" + PACKET.decode()).encode("utf-16-be"),
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'><metadata>" + PACKET + b"</metadata></svg>",
    "svg as xml": b"<?xml version='1.0'?>\n<!-- a --><!-- b -->\n<svg:svg><metadata>"
    + PACKET
    + b"</metadata></svg:svg>",
}
IS_TEXT = ("xmp", "xmp in utf-16", "svg", "svg as xml", "postscript")


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("declared", [None, "application/octet-stream", "text/plain", "text/html", "image/gif"])
def test_a_file_of_a_format_that_is_not_read_is_one_even_where_it_is_served_as_a_page(
    name: str, declared: str | None
) -> None:
    """Its packets that stand openly are heard, and if it has the mark of a format what else it may say is a doubt."""
    bare = () if name in IS_TEXT else (MARKED[name].replace(PACKET, b""),)
    for octets in (MARKED[name], *(one for one in bare if declared != "text/html" or format_of(one))):
        for usage in ("index", "tdm", "ai-train"):
            assert outcome(octets, usage, declared) == "prohibited"


@pytest.mark.parametrize(
    "octets",
    [
        b"<title>%PDF-1.4 explained</title>",
        b"\xef\xbb\xbf\n<p>%PDF-1.7",
        b"x %!PS-Adobe-",
        b"<!doctype html><body><svg><metadata>" + PACKET + b"</metadata></svg>",
        b"<!---->" * 10_000 + b"<p>",
    ],
)
def test_a_page_about_a_format_is_none_of_it(octets: bytes) -> None:
    """Octets that begin as markup show no format."""
    assert outcome(octets, declared="text/html") == "permitted"


@pytest.mark.parametrize("usage", ["follow", "index", "preserve", "present-link", "other", "ai-train"])
def test_a_page_that_is_still_packed_is_prohibited(usage: str) -> None:
    """Whatever it says cannot be seen."""
    for headers in ({}, {"Content-Type": "text/html"}, {"Content-Type": "text/html", "Content-Encoding": "gzip"}):
        found = carriers(gzip.compress(NOINDEX), url=URL, headers=headers)
        decision = decide(URL, crawler="a", usage=usage, page=found.page, others=found.others)
        assert decision.outcome == "prohibited"
        assert "packed with gzip" in decision.reason.decided_by[0].text


def raw_deflate(octets: bytes) -> bytes:
    """Without a mark, as some servers send what they call deflate."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(octets) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "raw deflate": raw_deflate,
    **CODINGS,
}


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("headers", [{}, {"Content-Type": "text/html"}, {"Content-Encoding": "x"}])
def test_octets_that_are_still_packed_are_no_page_to_any_reader(name: str, headers: dict[str, str]) -> None:
    """With and without a coding among the headers, to `parse_page`, its copies and its skeleton as to `carriers`."""
    words = b" ".join(b"word%d of %x" % (n, n * n * 7919) for n in range(200))
    octets = PACKERS[name](NOINDEX + words)
    page = parse_page(octets, url=URL, headers=headers)
    (found,) = page.problems
    assert (page.complete, found.code) == (False, "page-not-read")
    assert any(why in found.message for why in ("packed with", "in the coding", "not text"))
    for usage in USAGES:
        for one in (page, pickle.loads(pickle.dumps(page)), page.skeleton()):
            assert (decide(URL, crawler="a", usage=usage, page=one).outcome == "prohibited") == (usage != "crawl")
        if "Content-Type" in headers:
            said = carriers(octets, url=URL, headers=headers).policy
            assert (decide(URL, crawler="a", usage=usage, page=said).outcome == "prohibited") == (usage != "crawl")


@pytest.mark.parametrize(
    "octets",
    [
        NOINDEX.replace(b"noindex", b"noai\x0b\0\1\2\3\4\5\6\7\x0e\x0f"),
        b"a few words\x0b \0",
        "words and words of a page in an encoding that headers name <p>".encode("utf-16-le"),
        b"",
    ],
)
@pytest.mark.parametrize("coding", [[], [("Content-Encoding", "identity")]])
def test_a_text_that_is_no_clean_one_is_not_packed(octets: bytes, coding: list[tuple[str, str]]) -> None:
    """Stray control characters and encodings of two octets a letter make no page a packed file."""
    kind = "text/html" + ("; charset=utf-16le" if octets[1:2] == b"\0" else "")
    assert parse_page(octets, url=URL, headers=[("Content-Type", kind), *coding]).complete
    assert outcome(octets, "preserve", kind) == "permitted"


def test_headers_count_beside_whatever_is_there() -> None:
    for octets in (None, b"", files.jpeg(), UNREAD["a.gif"], SILENT["a.txt"], NOINDEX):
        found = carriers(octets, url=URL, headers={"X-Robots-Tag": "noindex"})
        assert decide(URL, crawler="a", usage="index", page=found.page, others=found.others).outcome == "prohibited"


def test_a_page_without_what_reads_pages_is_a_doubt() -> None:
    """The function answers; the command line says what to install."""
    script = (
        "import sys\nsys.modules['selectolax'] = None\nsys.modules['selectolax.lexbor'] = None\n"
        f"from acap.carriers import carriers\nfrom acap import decide\nfound = carriers({NOINDEX!r})\n"
        "print(found.form, found.missing, decide('/', crawler='a', usage='preserve', page=found.page, "
        "others=found.others).outcome)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "unread pages prohibited\n"


@given(st.binary(max_size=300), st.sampled_from([*TYPES.values(), "text/html", "text/plain", "", "x", "image/svg+xml"]))
def test_no_octets_make_it_fail(octets: bytes, declared: str) -> None:
    found = carriers(octets, url=URL, headers={"Content-Type": declared})
    decide(URL, crawler="a", usage="index", page=found.page, others=found.others)
    assert found.problems is not None


@pytest.mark.parametrize("wrong", ["text", 1])
def test_what_are_no_octets_is_a_mistake(wrong: object) -> None:
    with pytest.raises(TypeError):
        carriers(wrong)  # type: ignore[arg-type]  # a mistake is what is tested


# --- the command line -------------------------------------------------------------------------------------------------

FILES = {f"a.{name}": build(PROHIBITED) for name, build in READ.items()} | UNREAD | SILENT
FILES |= {"page": NOINDEX, "page.html": NOINDEX, "packed.html.gz": gzip.compress(NOINDEX), "bare.html": b"x"}


@pytest.mark.parametrize("name", FILES)
def test_the_command_line_answers_what_the_api_answers(name: str, tmp_path: Path) -> None:
    """For every usage, from a file and from standard input."""
    file = tmp_path / name
    file.write_bytes(FILES[name])
    found = carriers(FILES[name], url=URL, headers=declared_by_name(name, ()))
    answers = decide_each(URL, crawler="a", usages=list(USAGES), page=found.page, others=found.others)
    said = {str(decision.outcome) for decision in answers.values()}
    result = checked("--page", file, "--json")
    told = [json.loads(line) for line in result.lines]
    assert [(one["usage"], one["outcome"]) for one in told] == [(u, str(d.outcome)) for u, d in answers.items()]
    expected = [decision_to_json(decision)["reason"]["decided_by"] for decision in answers.values()]
    assert [[one["text"] for one in item["reason"]["decided_by"]] for item in told] == [
        [one["text"] for one in item] for item in expected
    ]
    explained = acap("explain", "-c", "a", "-u", "index", "--page", file, "--robots", NO_RULES, URL)
    assert explained.lines[0].startswith(str(answers["index"].outcome))
    if name not in SILENT:
        assert "nothing is forbidden" not in acap("show", "--page", file).out or said == {"permitted"}
    if not FILES[name]:
        assert checked("--page", "-", "--json", given=b"").code == 3  # what came from a pipe may have failed to come
    elif "." not in name:
        piped = checked("--page", "-", "--json", given=FILES[name])
        assert [json.loads(line)["outcome"] for line in piped.lines] == [one["outcome"] for one in told]


@pytest.mark.parametrize("name", SILENT)
def test_what_was_not_looked_at_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(SILENT[name])
    result = checked("--page", tmp_path / name, "-u", "index")
    assert result.code == 0
    assert "has no place for a statement" in result.err or "is empty" in result.err
    assert "nothing is forbidden" not in acap("show", "--page", tmp_path / name).out


def test_show_tells_what_a_picture_says(tmp_path: Path) -> None:
    file = tmp_path / "a.jpg"
    file.write_bytes(files.jpeg(PROHIBITED))
    shown = acap("show", "--page", file)
    assert "must not" in shown.out
    assert "DMI-PROHIBITED" in shown.out
    told = json.loads(acap("show", "--json", "--page", file).out)
    assert [one["usage"] for one in told["statements"]] == ["tdm", "index"]
    file.write_bytes(UNREAD["a.gif"])
    assert "embedded-unknown-format" in acap("show", "--page", file).out


@pytest.mark.parametrize("name", ["a.jpeg", "a.gif", "a.docx", "packed.html.gz"])
def test_lint_refuses_what_it_does_not_read(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(FILES[name])
    result = acap("lint", file)
    assert result.code == 2
    assert f"acap show --page {file}" in result.err


def test_cases_read_a_picture(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(files.jpeg(PROHIBITED))
    (tmp_path / "robots.txt").write_bytes(b"")
    cases = tmp_path / "x.acap.toml"
    cases.write_text(
        'robots = "robots.txt"\n[[case]]\ncrawler = "a"\npath = "/a.jpg"\npage = "a.jpg"\nusage = "index"\n'
        'expect = "prohibited"\n',
        encoding="utf-8",
    )
    result = acap("test", cases)
    assert result.code == 0, result.out + result.err


# --- the options of a question ----------------------------------------------------------------------------------------

LIMITED = (
    b"ACAP-crawler: *\nACAP-allow-index: / time-limit=30-days\nACAP-allow-present-snippet: / max-length=20-words\n"
)


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    file = tmp_path / "robots.txt"
    file.write_bytes(LIMITED)
    return file


def answered(robots: Path, usage: str, *options: str) -> str:
    return acap("check", "-c", "a", "-u", usage, "--robots", robots, *options, "/x").out.split("\t")[0]


def test_a_permission_under_what_the_crawler_cannot_keep_prohibits(robots: Path) -> None:
    assert answered(robots, "present-snippet") == "permitted"
    assert answered(robots, "present-snippet", "--honours", "time-limit,max-length") == "permitted"
    assert answered(robots, "present-snippet", "--honours", "time-limit") == "prohibited"
    assert answered(robots, "present-snippet", "--honours", "none") == "prohibited"
    assert answered(robots, "crawl", "--honours", "none") == "permitted"


def test_silence_means_what_is_said(robots: Path) -> None:
    assert answered(robots, "ai-train") == "permitted"
    assert answered(robots, "ai-train", "--silence", "tdm=prohibited") == "prohibited"
    assert answered(robots, "ai-train", "--silence", "tdm=prohibited", "--silence", "ai-train=permitted") == "permitted"


@pytest.mark.parametrize(("option", "usage"), [("--first-indexed", "index"), ("--last-crawled", "index")])
def test_what_is_known_of_the_resource_counts(option: str, usage: str, robots: Path) -> None:
    at = ["--at", "2026-11-22"]
    assert answered(robots, usage, option, "2026-11-01", *at) == "permitted"
    late = answered(robots, usage, option, "2026-01-01", *at)
    api = decide(
        "/x", crawler="a", usage=usage, at=_at("2026-11-22"), robots=parse_robots(LIMITED),
        facts=Facts(**{option[2:].replace("-", "_"): _at("2026-01-01")}),
    )  # fmt: skip
    assert late == str(api.outcome)
    assert option == "--last-crawled" or late == "prohibited"


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_limit_on_reading_has_an_option(robots: Path) -> None:
    robots.write_bytes(b"User-agent: *\nDisallow: /private/\n" + b"#" * 1_000)
    assert answered(robots, "crawl") == "permitted"
    result = acap("check", "-c", "a", "-u", "crawl", "--robots", robots, "--limit", "file-octets=100", "--json", "/x")
    assert json.loads(result.out)["reason"]["truncated"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--honours", "time-limits"], "names the unknown restriction `time-limits`; did you mean `time-limit`?"),
        (["--honours", ","], "`--honours` is empty"),
        (["--silence", "tdm"], "is not USAGE=permitted or USAGE=prohibited"),
        (["--silence", "tdm=maybe"], "is not USAGE=permitted or USAGE=prohibited"),
        (["--silence", "tdn=prohibited"], "names the unknown usage `tdn`; did you mean `tdm`?"),
        (["--first-indexed", "soon"], "`--first-indexed soon` is not a date or time"),
        (["--limit", "octets=1"], "names the unknown limit `octets`; did you mean"),
        (["--limit", "records=-1"], "`--limit records=-1` has no number"),
        (["--limit", "records=99999999999999999999999"], "`--limit`"),
    ],
)
def test_a_mistake_in_an_option_is_one_line(options: list[str], said: str, robots: Path) -> None:
    result = acap("check", "-c", "a", "--robots", robots, *options, "/x")
    assert (result.code, result.out) == (2, "")
    (line,) = result.err.splitlines()
    assert said in line


PAGE = b'<!doctype html><meta name="robots" content="noindex"><p>x'
RESPONSES = {
    "a page": (PAGE, [("Content-Type", "text/html")]),
    "packed octets": (gzip.compress(PAGE), [("Content-Type", "text/html")]),
    "packed octets, a coding nobody knows": (b"\x1b\x2a\0\x9c", [("Content-Encoding", "br")]),
    "packed octets without a coding": (zlib.compress(PAGE), [("Content-Type", "text/html")]),
    "metadata of a picture": (files.png(files.data_mining("DMI-PROHIBITED")), [("Content-Type", "image/png")]),
    "a page that nothing decides": (PAGE, [("Content-Type", "application/octet-stream")]),
    "a cut page": (PAGE, [("Content-Type", "text/html"), ("Content-Length", "9999")]),
    "an empty picture": (b"", [("Content-Type", "image/png")]),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_one_page_of_all_carriers_is_decided_as_they_are(name: str) -> None:
    """`policy` hears every carrier, its copies and its skeleton too: what all of them prohibit it prohibits."""
    octets, headers = RESPONSES[name]
    found = carriers(octets, url=URL, headers=headers)
    for usage in ("index", "tdm", "preserve", "present-snippet"):
        apart = decide(URL, crawler="bot", usage=usage, page=found.page, others=found.others)
        for page in (found.policy, pickle.loads(pickle.dumps(found.policy)), found.policy.skeleton()):
            assert decide(URL, crawler="bot", usage=usage, page=page).outcome == apart.outcome, usage
    assert {"index", "tdm"} & {
        usage for usage in ("index", "tdm") if not decide(URL, crawler="bot", usage=usage, page=found.policy).permitted
    }


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("bytes 0-2/3", True),
        ("Bytes 0-2/3", True),
        ("bytes 0-2/500", False),
        ("bytes 0-2/*", False),
        ("bytes 1-2/3", False),
        ("bytes 0-499/500", False),
        ("bytes */3", False),
        ("lines 0-2/3", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("coded", [False, True])
def test_a_content_range_that_is_not_of_all_octets_is_a_doubt(said: str, whole: bool, coded: bool) -> None:
    """RFC 9110 14.4: whatever the status, and in whatever coding, a part may lack what prohibits."""
    headers = [("Content-Type", "text/html"), ("Content-Range", said)]
    if coded:  # it counts other octets then
        headers.append(("Content-Encoding", "gzip"))
        whole = whole or said == "bytes 0-499/500"
    found = carriers(b"<p>", url=URL, headers=headers)
    assert decide(URL, crawler="bot", usage="index", page=found.policy).permitted is whole
    for html in (b"<p>", "<p>"):
        page = parse_page(html, url=URL, headers=headers)
        # Of a text nobody knows how many octets it was: three letters are twelve at most.
        assert decide(URL, crawler="bot", usage="index", page=page).permitted is whole
    image = carriers(b"\x89PNG\r\n\x1a\n", url=URL, headers=[("Content-Type", "image/png"), ("Content-Range", said)])
    assert not decide(URL, crawler="bot", usage="index", page=image.policy).permitted or whole


@pytest.mark.parametrize(("text", "length", "whole"), [("<p>x", 19, True), ("<p>x", 20, False), ("", 4, False)])
def test_a_text_that_cannot_have_been_so_many_octets_is_cut(text: str, length: int, whole: bool) -> None:
    """A letter is four octets at most in any encoding of pages, and a mark before them three."""
    page = parse_page(text, url=URL, headers=[("Content-Length", str(length))])
    assert (page.complete, decide(URL, crawler="bot", usage="index", page=page).permitted) == (whole, whole)


def test_why_a_body_is_not_known_to_be_whole_is_told() -> None:
    """Whoever saw that says it, and every use is prohibited with a problem that has it."""
    found = carriers(b"<p>", url=URL, headers=[("Content-Type", "text/html")], unread="the coded body is not complete")
    assert found.form == "unread"
    assert "the coded body is not complete" in found.problems[0].message
    assert not decide(URL, crawler="bot", usage="index", page=found.policy).permitted


@pytest.mark.parametrize("octets", [b"caf\x0b words", b"\0\0\1\0\1\0" + bytes(64)])
def test_octets_that_were_decoded_are_not_in_their_coding(octets: bytes) -> None:
    """Who knows their length has decoded them: one control character does not make them packed."""
    headers = [("Content-Type", "image/x-icon"), ("Content-Encoding", "gzip")]
    plain = carriers(octets, url=URL, headers=headers[:1])
    decoded = carriers(octets, url=URL, headers=headers, length=len(octets))
    assert (decoded.form, plain.form) == ("file", "file")
    assert carriers(octets, url=URL, headers=headers).form == "unread"


@pytest.mark.parametrize("mark", [b"RIFF\x10\xee\0\0WEBP", b"\x89PNG\r\n\x1a\n", b"%PDF-", b"\xff\xd8\xff", b"MM\0*"])
def test_a_file_that_is_cut_in_its_mark_is_a_doubt(mark: bytes) -> None:
    """Every octet of a mark may be its last: a length within it may be any octets."""
    for length in range(1, len(mark)):
        cut = carriers(mark[:length], url=URL)
        assert not decide(URL, crawler="bot", usage="index", page=cut.policy).permitted, length
    assert carriers(b"RIFFs are played on a guitar", url=URL).form != "file"


@pytest.mark.parametrize(
    ("headers", "whole"),
    [
        ([("Content-Length", "3")], True),
        ([("Content-Length", "4")], False),
        ([("Content-Length", "3, 4")], False),
        ([("Content-Length", "many")], False),
        ([("Content-Length", "4"), ("Content-Encoding", "gzip")], True),
        ([("Content-Length", "4"), ("Content-Encoding", "identity")], False),
        ([("Content-Length", "4"), ("Transfer-Encoding", "chunked")], False),
        ([("Content-Length", "3"), ("Transfer-Encoding", "chunked")], True),
        ([("Transfer-Encoding", "Chunked")], True),
        ([("Content-Length", "4"), ("Transfer-Encoding", "identity")], False),
        ([("Content-Length", "4"), ("Transfer-Encoding", "")], False),
        ([("Content-Length", "3"), ("Transfer-Encoding", "identity")], True),
        ([("Content-Length", "3"), ("Transfer-Encoding", "gzip, chunked")], False),
        ([("Content-Encoding", "gzip"), ("Transfer-Encoding", "gzip")], False),
        ([("Content-Length", "4"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")], True),
    ],
)
def test_a_length_that_counts_other_octets_tells_nothing(headers: list[tuple[str, str]], whole: bool) -> None:
    """A cut is known by `Content-Length` where no content coding is named; that chunks came whole nobody can tell."""
    found = carriers(b"<p>", url=URL, headers=[("Content-Type", "text/html"), *headers])
    assert decide(URL, crawler="bot", usage="index", page=found.policy).permitted is whole
    page = parse_page(b"<p>", url=URL, headers=headers)
    assert (page.complete, decide(URL, crawler="bot", usage="index", page=page).permitted) == (whole, whole)


@pytest.mark.parametrize("headers", [(), (("content-type", "text/html"),)])
@pytest.mark.parametrize("octets", [b"<p>x</p>", NOINDEX])
def test_a_page_is_let_go_with_the_last_that_asks(octets: bytes, headers: tuple[tuple[str, str], ...]) -> None:
    """Pages are large: none waits until Python looks for what refers to itself."""
    gc.disable()
    try:
        found = carriers(octets, url=URL, headers=headers, length=len(octets))
        pages = [found.page, *(one.page for one in found.others if hasattr(one, "page"))]
        for page in pages:
            assert page.carried.without_licences is page.carried
        kept = [weakref.ref(page.carried) for page in pages]
        del found, pages, page
        assert [one() for one in kept] == [None] * len(kept)
    finally:
        gc.enable()
