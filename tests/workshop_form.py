"""A browser without scripts: reads the form of a page, changes fields, presses a button, and gets the next page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode

if TYPE_CHECKING:
    from starlette.testclient import TestClient

HERE = "http://127.0.0.1"
OURS = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}


@dataclass
class Visitor:
    """Somebody at a page of the workshop; `page` is its tree."""

    client: TestClient
    address: str = "/"
    status: int = 200

    def __post_init__(self) -> None:
        self.html = ""
        self.go(self.address)

    def go(self, address: str) -> None:
        """Opens an address."""
        answer = self.client.get(address)
        self._take(answer.status_code, answer.text)

    def press(self, button: str, file: tuple[str, bytes] | None = None, /, **fields: str) -> None:
        """Fills fields in and presses a button, given by a CSS selector of it."""
        pressed = self.page.css_first(button)
        assert pressed is not None, f"no {button} on this page"
        target = pressed.attributes.get("formaction") or self._form.attributes["action"]
        assert target is not None
        values = {**self.fields, **fields}
        name = pressed.attributes.get("name")
        if name:
            values[name] = pressed.attributes.get("value") or ""
        # A browser sends every line end of a field as CR LF.
        data = {key: value.replace("\n", "\r\n") for key, value in values.items()}
        files = {"file": file if file is not None else ("", b"")}
        answer = self.client.post(target, data=data, files=files, headers=OURS)
        self._take(answer.status_code, answer.text)

    @property
    def fields(self) -> dict[str, str]:
        """What the form would send, without the button."""
        found: dict[str, str] = {}
        for node in self._form.css("input, textarea, select"):
            name, kind = node.attributes.get("name"), node.attributes.get("type")
            if not name or kind == "file":
                continue
            if node.tag == "textarea":
                found[name] = _text_of(node)
            elif node.tag == "select":
                found[name] = _chosen(node)
            elif kind not in ("checkbox", "radio") or "checked" in node.attributes:
                found[name] = node.attributes.get("value") or ("on" if kind == "checkbox" else "")
        return found

    @property
    def text(self) -> str:
        """The text of the policy."""
        return self.fields["text"]

    def words(self, selector: str) -> list[str]:
        """What elements say, without needless blanks."""
        return [" ".join(node.text().split()) for node in self.page.css(selector)]

    @property
    def notes(self) -> str:
        """What is said above the page."""
        return " ".join(self.words("#notes"))

    @property
    def _form(self) -> LexborNode:
        found = self.page.css_first("#workspace")
        assert found is not None
        return found

    def _take(self, status: int, html: str) -> None:
        self.status, self.html = status, html
        self.page = LexborHTMLParser(html)


def _text_of(node: LexborNode) -> str:
    # Of the line break after the tag a tree has nothing any more, as the standard wants it.
    return node.text(deep=True)


def _chosen(node: LexborNode) -> str:
    options = node.css("option")
    chosen = next((one for one in options if "selected" in one.attributes), options[0])
    value = chosen.attributes.get("value")
    return chosen.text() if value is None else value
