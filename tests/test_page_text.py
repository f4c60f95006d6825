"""The text of a page that may be used as a whole is what a walk gathers that asks at each node."""

from __future__ import annotations

import pytest

from acap.pages.extraction import Walk, _gather, _Text, _whole_text, content_for
from acap.pages.page import parse_page
from tests.page_vectors import PageVector, page_vectors

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
    """The text by either way."""
    page = parse_page(html, url="https://example.com/a")
    asking = page.asking(crawler="examplebot")
    gathered = _Text()
    for node, begins, _, usable in Walk(asking, "other"):
        assert usable
        _gather(gathered, node, begins)
    document = asking.carried.document
    assert document is not None
    return _whole_text(document.root), gathered.take()


@pytest.mark.parametrize("html", ODD)
def test_odd_markup(html: str) -> None:
    """Whatever the tree is like."""
    quick, slow = walked(html)
    assert quick == slow


@pytest.mark.parametrize("vector", page_vectors(), ids=lambda vector: vector.asked)
def test_pages_of_the_vectors(vector: PageVector) -> None:
    """For each page of the vectors that says nothing of its elements."""
    if not isinstance(vector.html, str):
        return
    page = parse_page(vector.html, url=None)
    asking = page.asking(crawler="examplebot")
    if asking.heard.regions is None and content_for(asking, "other").decision.permitted:
        quick, slow = walked(vector.html)
        assert quick == slow
