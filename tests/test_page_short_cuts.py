"""What is worked out the short way is what the long way gives: the text of a whole page, and where its links lead."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

import acap
from acap import _native
from acap.pages import html as trees
from acap.pages.extraction import _gather, _Text, _walked_text, _whole_text, content_for, whole_text_of
from acap.pages.html import _WITHOUT_EVENTS, EntangledError, PageTree, stated
from acap.pages.links import links, targets
from acap.pages.page import parse_page
from acap.pages.places import Places
from acap.pages.walk import Walk
from benchmarks.pages import typical
from tests.hostile_pages import SHAPES
from tests.markup_as_written import page as written_page
from tests.page_vectors import page_vectors
from tests.portions import at_length

ODD = (
    "",
    "a",
    "<p>",
    "<table><tr><td>a<td>b<tr><th>c</table>d",
    "<title>t</title>x<br>y<hr>z<img alt=picture><img alt=''><input alt=i><area alt=j>",
    "<script>s</script>a<style>b</style><template>c<p>d</template><noscript>e</noscript><iframe>f</iframe>",
    "<svg><title>t</title><text>u</text></svg><math><mi>x</mi></math>",
    "<b><p>a</b>b</p>" * 3,
    "<div>" * 400 + "deep",
    "a<!-- c -->b<?p?>c",
    "<pre>\n a  b\n</pre><textarea>\nq</textarea>",
    "<select><option>o<option>p</select><dl><dt>a<dd>b</dl>",
)


def walked(html: str) -> tuple[str, str]:
    """The text by the short way, and by the long one."""
    page = parse_page(html, url="https://example.com/a")
    asking = page.asking(crawler="examplebot")
    gathered = _Text()
    for node, begins, _, usable in Walk(asking, "other"):
        assert usable
        _gather(gathered, node, begins)
    document = asking.carried.document
    assert document is not None
    return _whole_text(document.root), gathered.take()


MARKUP = (
    "<p>", "</p>", "<b>", "</b>", "<b class='x>y'>", "<i a='b\"' =x \"y' <z>", "</i>", "<a<b c>", "<p =a=b '=c \">",
    "<div", ">", "/>", "<", "&", "=", "'", '"', "<!--", "-->", "--!>", "<!x-->", "</ x>", "<?p a?>", "<![CDATA[a]]>",
    "<script>", "</script>", "<script><!--<script>", "</script>t<script>", "<style>", "</style>", "&lt;/style&gt;",
    "<svg>", "</svg>", "<svg><style>", "<svg><input alt=k>", "<svg title='>'>", "<math>", "<mi>", "</math>", "<desc>",
    "<foreignObject>", "<title>", "</title>", "<textarea>", "</textarea>", "<xmp>", "</xmp>", "<plaintext>", "<nobr>",
    "<noscript>", "</noscript>", "<iframe>", "</iframe>", "<noembed>", "<noframes>", "</noframes>", "<template>",
    "</template>", "<table>", "<tr>", "<td>", "</table>", "<select>", "<option>", "<button>", "<form>", "<frameset>",
    "<img alt=q>", "<img alt='a &amp; b&nbsp;'>", "<img alt=' '>", "<input alt=i>", "<image alt=z>", "<area alt>",
    "<br/>", "<hr>", "<frame>", "<link>", "<col>", "<keygen>", "<bgsound>", "<head>", "</head>", "<body>", "</body>",
    "</html>", "<p is=x>", "&lt;p&gt;", "&amp;amp;", "&nbsp;", "&#0;", "&#x1c;", "&quot;", "\x1f", "\x0b", "\0",
    "\x85", "\xa0", "\u1680", "\u200b", "\u2028", "\u3000", "é", "日本", " ", "  ", "\n", "x", "y z",
)  # fmt: skip


@pytest.mark.portion
@pytest.mark.parametrize("seed", range(10))
def test_the_core_reads_the_text_of_any_tree_or_none(seed: int) -> None:
    """What it reads from the tree as it is written out is what a walk over the tree finds."""
    chance = random.Random(seed)
    read = 0
    for _ in range(20_000 if at_length() else 300):
        html = "".join(chance.choices(MARKUP, k=chance.randrange(1, 14)))
        root = PageTree(html).root
        assert root is not None
        found = _native.text_of(root.html or "")
        if found is not None:
            read += 1
            assert found == _walked_text(root), html
    assert read


@pytest.mark.portion
@pytest.mark.parametrize("seed", range(6))
def test_the_core_reads_the_text_of_a_page_as_written_or_none(seed: int) -> None:
    """What it reads without a tree is what a walk over the tree finds, whatever is odd in the page."""
    chance = random.Random(f"written {seed}")
    read = 0
    for _ in range(50_000 if at_length() else 1_000):
        html = written_page(chance, MARKUP)
        if (found := _native.text_as_written(html)) is not None:
            read += 1
            assert found == _walked_text(LexborHTMLParser(html).root), html
    assert read > 150


def test_pages_as_they_are_mostly_written_need_no_tree() -> None:
    """Their text is there before one is built."""
    for number in range(4):
        tree = PageTree(typical(20_000 + 10_000 * number))
        found = tree.text_as_written
        assert found is not None
        assert not tree._tree
        assert found == _walked_text(tree.root)


def test_a_page_that_is_read_twice_has_the_text_of_its_tree() -> None:
    """Its XML is another text than that of its HTML."""
    page = parse_page(
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body><p>a</p></body></html>",
        url=None, headers={"content-type": "application/xhtml+xml"},
    )  # fmt: skip
    document = page.carried.document
    assert document is not None
    assert document.text_as_written is None
    assert whole_text_of(document) == "a"


MIRRORED = (
    *MARKUP, *["<select>", "<option>", "<option selected>", "</option>", "</select>", "<optgroup>", "<button>"] * 3,
    *["</button>", "<selectedcontent>", "<SelectedContent>", "</selectedcontent>", "<base href=x>", "<meta>"] * 3,
)  # fmt: skip


@pytest.mark.portion
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_is_the_same_without_events(seed: int) -> None:
    """Only what is mirrored needs them, and then they are there."""
    chance = random.Random(seed)
    for _ in range(20_000 if at_length() else 300):
        html = "".join(chance.choices(MIRRORED, k=chance.randrange(1, 20)))
        with suppress(EntangledError):
            built, whole = PageTree(html).root, LexborHTMLParser(html).root
            assert built is not None
            assert whole is not None
            assert built.html == whole.html, html


def test_the_option_without_events_is_that_of_the_parser() -> None:
    """Its number is written down where pages are read, so that reading needs no further import."""
    assert LexborDocumentOptions.WO_EVENTS == _WITHOUT_EVENTS


@pytest.mark.parametrize("html", SHAPES)
def test_the_core_reads_the_text_of_pages_as_they_are(html: str) -> None:
    """Of those with scripts, drawings and forms too; where nobody can tell what was markup, the tree is walked."""
    root = PageTree(html).root
    assert root is not None
    found = _native.text_of(root.html or "")
    assert found == (None if "<XMP>" in html else _walked_text(root))


@pytest.mark.parametrize("html", ODD)
def test_odd_markup(html: str) -> None:
    """Whatever the tree is like."""
    quick, slow = walked(html)
    assert quick == slow


def test_pages_of_the_vectors() -> None:
    """For each page of the vectors that says nothing of its elements."""
    for vector in page_vectors():
        if not isinstance(vector.html, str):
            continue
        asking = parse_page(vector.html, url=None).asking(crawler="examplebot")
        if asking.regions is None and content_for(asking, "other").decision.permitted:
            quick, slow = walked(vector.html)
            assert quick == slow, vector.name


LINKED = (
    "<a href=/a>x</a><a href=/b rel=nofollow>y</a><a href=/a rel='x UGC'>z</a><area href=c rel=''><frame src=d>",
    "<meta name=robots content=nofollow><a href=/a>x</a><a href=/b rel=nofollow>y</a>",
    "<a href=/a>x</a><div class='the-acap:disallow-follow'><a href=/a>y</a><a href=/b>z</a></div>",
    "<div class='the-acap:disallow-follow'><a href=/a>y</a></div><a href=/a rel=sponsored>x</a>",
    "<base href=http://other.example/x/><a href='javascript:1'>a</a><a href='mailto:b'>b</a><a href=''>c</a><a>d</a>",
)


@pytest.mark.parametrize("html", LINKED)
def test_where_links_lead(html: str) -> None:
    """Each URL once, permitted if one of the links to it is."""
    asking = parse_page(html, url="https://example.com/a").asking(crawler="examplebot")
    found = links(asking)
    permitted = list(dict.fromkeys(link.url for link in found if link.decision.permitted))
    quick = targets(asking)
    assert sorted(quick.permitted) == sorted(permitted)
    assert quick.refused == len({link.url for link in found} - set(permitted))


PIECES = (
    "<meta name=robots content='ACAP disallow-index'>", "<meta class=the-apca:disallow-index>", "<metal>",
    "<p title='", "'>", '"', "<p class=the-apca:disallow-index>", "<p class='ACAP Allow-index'>", "<!--", "-->",
    "<p class=acap&colon;x>", "<p DATA-nosnippet>", "<p class='the-acp:isallow index'>", "<template>", "</template>",
    "<script>", "</script>", "<svg><metadata>", "</svg>", "</head>", "</select>",
    "<select><button><selectedcontent></button><option>",
)  # fmt: skip


def test_elements_with_statements() -> None:
    """Those that are looked for where the text mentions them are those that a search of every page finds."""
    for seed in range(200):
        html = "".join(random.Random(seed).choices(PIECES, k=8))
        with suppress(EntangledError):
            quick, slow = PageTree(html), PageTree(f"<!-- data-nosnippet acap: <template -->{html}")
            assert [one[1:] for one in quick.carriers()] == [one[1:] for one in slow.carriers()], html


@pytest.mark.parametrize(
    "token", ["the-acapa:llow-crawl", "the-acap:llow-crawl", "the-acapallow-crawl", "acapa:llow-crawl"]
)
def test_a_token_is_seen_wherever_one_slip_has_put_its_colon(token: str) -> None:
    """Whoever does not tell elements apart is prohibited by it."""
    page = parse_page(f'<p class="{token}">x', url="https://site.example/a")
    assert page.decide("index", crawler=acap.Crawler("bot", elements=False)).outcome is acap.Outcome.PROHIBITED


HEADED = (
    *MARKUP, *["<meta name=a content=b>", "<META NAME='c' content='d > e'>", "<meta name=f content='<g>'>"] * 4,
    *["<meta name=robots content=noindex", "<meta charset=x>", "<metadata>", "<head>", "</head>", "<title>t"] * 3,
    *["</title>", "<!doctype html>", "<html>", "<body>", "<link rel=x>", "<base href=y>", "<frameset><frame>"] * 2,
)  # fmt: skip


@pytest.mark.portion
@pytest.mark.parametrize("seed", range(6))
def test_the_beginning_of_a_text_has_the_metas_of_the_whole(seed: int) -> None:
    """Each with its name, content and place; it is looked at alone where the whole tree is not built."""
    chance = random.Random(f"beginning {seed}")
    alone = 0
    for _ in range(20_000 if at_length() else 500):
        head = "".join(chance.choices(HEADED, k=chance.randrange(12)))
        html = head + "".join(chance.choices(MARKUP, k=12)) + "<p>words</p>" * chance.choice((1, 60, 60))
        with suppress(EntangledError):
            tree = PageTree(html)
            alone += not tree._tree
            nodes = LexborHTMLParser(html).css("meta")
            metas = [(*stated(node.attributes), place) for place, node in enumerate(nodes)]
            expected = [(name.strip(), content, place) for name, content, place in metas if name and content]
            assert [meta[:3] for meta in tree.metas] == expected, html
            was_in_head = [tree.is_in_head(meta) for meta in tree.metas]
            for meta, is_in_head in zip(tree.metas, was_in_head, strict=True):
                node = tree.node_of(meta)
                assert node is not None
                assert stated(node.attributes)[1] == meta.content
                assert node.parent is not None
                assert is_in_head == (node.parent.tag == "head")
    assert alone > 100


HEADS = (
    '<meta name="robots" content="noindex">', "<META NAME=robots CONTENT='ACAP disallow-index'>\n",
    "<meta charset=utf-8>", "<meta name='robots'\n content=noarchive />", '<meta property="og:a" content="b > <c">',
    "<meta name=é content='ü'>", "<meta name=robots content=a name=b content=c>",
    "<meta content='“ACAP disallow-index”' name=robots>", "<meta>", "<meta name='a&amp;' content='b'>",
    "<meta name=a content=b/>", "<meta name=a/content=b>", "<meta name = a content>",
    "<meta name='a' content='b\r\nc'>", "<meta name='a\x00' content='b'>", "<meta name=' robots ' content=' a'>",
    "<metal>", "<title>é\n</title>", "<title><meta name=x content=y></title>", "<title></titles>\n</title>",
    "<title></title >", "<script>'<p>'</script>", "<script><!--<script></script>--></script>", "<style>\na{}</style>",
    "<script src=x />", "<link rel=a href='b>c'>", "<base href=x>", "<!-- <meta name=x content=y> -->", "<!-->",
    "<!-- a\n-->", "\n", " ", "a", "<noscript><meta name=x content=y></noscript>", "</head>", "<body>", "<p>",
    "<template>", "<?x?>", "<!x>", "</p>",
)  # fmt: skip
BEGINNINGS = (
    "<!doctype html>\n<html lang=en>\n<head>",
    "<html><head>",
    "<html>",
    "",
    "<!doctype x '<meta>'><html><head>",
)


@pytest.mark.portion
@pytest.mark.parametrize("seed", range(4))
def test_a_plain_head_has_the_meta_elements_of_its_tree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, contents and places are those that the tree and a search of the text tell, and they are in its head."""
    chance = random.Random(seed)
    read = 0
    for _ in range(20_000 if at_length() else 600):
        html = chance.choice(BEGINNINGS[:1] * 5 + BEGINNINGS) + "".join(
            chance.choices(HEADS[: chance.choice((8, 99))], k=chance.randrange(9))
        )
        html += "</head>\n<body><p>text" * (chance.random() < 0.5)
        short = PageTree(html)
        with monkeypatch.context() as patched:
            patched.setattr(trees, "_plain", lambda *_: None)
            long = PageTree(html)
        read += bool(short.metas) and short.begin_of(0) is not None
        assert [one[:3] for one in short.metas] == [one[:3] for one in long.metas]
        assert (short.has_metas_alone, short.carriers()) == (long.has_metas_alone, long.carriers())
        places = Places(short, ()), Places(long, ())
        for one, other in zip(short.metas, long.metas, strict=True):
            assert short.is_in_head(one) == long.is_in_head(other)
            assert places[0].of("meta", one.place) == places[1].of("meta", one.place), html
    assert read > 50


def test_most_heads_are_plain() -> None:
    """The tree of a page as they are written is not asked for its META elements."""
    document = PageTree(typical(9_000))
    assert document.metas
    assert all(document.begin_of(meta.place) is not None for meta in document.metas)
