"""The types of the JSON forms, written from their schemas: `python -m tools.json_types` writes the module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from acap import schema
from tools import links

FILE: Path = links.ROOT / "src/acap/json_types.py"

_HEAD = '''"""The types of the JSON forms: written from the schemas of `acap.schema` by `python -m tools.json_types`.

A reader must accept keys that it does not know; a type here has those of this version. It is one module, as the schemas
are.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict
'''
_ELSEWHERE = {
    "a decision": "DecisionJson",
    "the schema of problems": "ProblemJson",
    "the schema of comparisons": "ComparisonJson",
}
"""What an object is that has a schema of its own, by a part of its description."""
_FORMS = (
    "DECISION", "PROBLEM", "FINDING", "COMPARISON", "EFFECTIVE", "PAGE", "CONTENT", "LINK", "SNIPPET", "SITE",
    "CONVERSION", "COMPOSITION", "LAYOUT",
)  # fmt: skip
_NAMES = {
    "DecisionRestrictions": "Restriction", "DecisionConditions": "Condition", "DecisionDecidedBy": "Cited",
    "DecisionLost": "Lost", "DecisionReason": "Reason", "FindingEdits": "Edit", "FindingFix": "Fix",
    "FindingRelated": "Place", "ComparisonBefore": "Side", "ComparisonChanges": "Change",
    "ComparisonUndecided": "Undecided", "EffectivePolicy": "Effective", "EffectivePolicyUndone": "Undone",
    "PageStatements": "Statement", "PageLocalUsages": "LocalUsage", "ContentPieces": "Piece",
    "ConversionNotes": "ConversionNote", "CompositionMistakes": "Mistake", "CompositionRows": "Preview",
    "SiteDocuments": "SiteDocument", "SiteCells": "Cell", "SiteRows": "Row", "SiteMatrices": "Matrix",
}  # fmt: skip
"""What objects are called that have the name of a form and of a key otherwise."""

_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def written() -> str:
    """The text of the module."""
    writer = _Writer()
    for form in _FORMS:
        writer.of_form(getattr(schema, f"{form}_SCHEMA"))
    return "\n\n".join([_HEAD, *writer.classes.values()])


class _Writer:
    def __init__(self) -> None:
        self.classes: dict[str, str] = {}
        """The text of each class by its name."""
        self._names: dict[str, str] = {}
        self._under_way: set[str] = set()

    def of_form(self, form: Mapping[str, Any]) -> None:
        """A document, whose objects have its name before theirs."""
        name = "".join(word.capitalize() for word in form["title"].removeprefix("acap ").split())
        self._object(name, form, form.get("$defs", {}), name)

    def _object(self, name: str, form: Mapping[str, Any], known: Mapping[str, Any], of: str) -> str:
        """The name of the class of an object: one that has the same keys and description is it already."""
        name = f"{_NAMES.get(name, name)}Json"
        if name in self._under_way:  # a set of paths has sets of paths
            return name
        self._under_way.add(name)
        keys = [f"    {key}: {self._type(kind, known, of, key)}\n" for key, kind in form["properties"].items()]
        self._under_way.remove(name)
        body = f'    """{form["description"]}"""\n\n' + "".join(keys)
        name = self._names.setdefault(body, name)
        self.classes[name] = f"class {name}(TypedDict):\n{body}"
        return name

    def _type(self, form: Mapping[str, Any], known: Mapping[str, Any], of: str, key: str) -> str:
        if "$ref" in form:
            place = form["$ref"].rpartition("/")[2]
            return self._object(place.capitalize(), known[place], known, of)
        if "const" in form:
            return f"Literal[{form['const']!r}]"
        if "enum" in form:
            words = ", ".join(f'"{word}"' for word in form["enum"] if word is not None)
            return f"Literal[{words}]" + (" | None" if None in form["enum"] else "")
        if "anyOf" in form:
            return " | ".join(self._alternatives(form["anyOf"], known, of, key))
        kinds = form["type"] if isinstance(form["type"], list) else [form["type"]]
        return " | ".join(self._simple(kind, form, known, of, key) for kind in sorted(kinds, key="null".__eq__))

    def _alternatives(
        self, forms: list[Mapping[str, Any]], known: Mapping[str, Any], of: str, key: str
    ) -> Iterator[str]:
        for form in sorted(forms, key=lambda one: one.get("type") == "null"):
            yield self._type(form, known, of, key)

    def _simple(self, kind: str, form: Mapping[str, Any], known: Mapping[str, Any], of: str, key: str) -> str:
        if kind == "array":
            return f"list[{self._type(form['items'], known, of, key)}]"
        if kind != "object":
            return _PLAIN[kind]
        if "properties" in form:
            name = "".join(word.capitalize() for word in key.split("_"))
            return self._object(of + name, form, known, of)
        described = form.get("description", "")
        return next((name for word, name in _ELSEWHERE.items() if word in described), "dict[str, Any]")


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
