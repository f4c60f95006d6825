"""The page on the public Python names: signatures as the source or the stub has them, docstrings as the objects do."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_origin

from tools.links import ROOT

LINE = 100  # columns of a signature on one line; a longer one is broken
SECTION = re.compile(r"^(Args|Raises|Returns|Yields):\n((?:(?:[ ]{4}.*)?\n?)*)", re.MULTILINE)
ITEM = re.compile(r"^ {4}(\S+?): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def page() -> str:
    """Every public name of the package with its signature, docstring and public members."""
    import acap

    parts = ["# Python names", "What `import acap` offers."]
    for name in sorted(acap.__all__, key=str.lower):
        parts += entry(name, getattr(acap, name))
    return "\n\n".join(part for part in parts if part) + "\n"


def entry(name: str, thing: Any) -> Iterator[str]:
    yield f"## {name}"
    if inspect.isclass(thing):
        yield from class_entry(name, thing)
    elif callable(thing) and get_origin(thing) is None:
        yield code(function(name, declaration(thing.__module__, name)))
        yield docstring(thing)
    else:
        yield code(f"{name} = {thing!r}")


def class_entry(name: str, cls: type) -> Iterator[str]:
    yield code(constructor(name, cls))
    yield docstring(cls)
    if issubclass(cls, enum.Enum):
        yield "\n".join(f"- `{name}.{member.name}` is `{member.value!r}`" for member in cls)
        return
    known = members(cls)
    attributes = [title for member, node in known.items() if (title := attribute(cls, member, node))]
    if attributes:
        yield "Attributes:"
        yield "\n".join(attributes)
    for member, node in known.items():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property(node):
            yield f"### {name}.{member}"
            yield code(function(member, node, bound=True))
            yield docstring(inspect.getattr_static(cls, member))


def members(cls: type) -> dict[str, ast.stmt]:
    """What the package declares for a class, its own or inherited, sorted; names with an underscore are left out."""
    found: dict[str, ast.stmt] = {}
    for base in reversed(bases(cls)):
        for node in body(base):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found[node.name] = node
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] = node
    return {name: found[name] for name in sorted(found) if not name.startswith("_")}


def attribute(cls: type, name: str, node: ast.stmt) -> str:
    """A line on an attribute; none on a method, nor on a field that the constructor shows already."""
    match node:
        case ast.FunctionDef(returns=ast.expr() as typed) if is_property(node):
            about = docstring(inspect.getattr_static(cls, name))
        case ast.AnnAssign(annotation=typed) if not is_record(cls):
            about = ""
        case _:
            return ""
    line = f"- `{name}: {annotation(typed)}`"
    return f"{line}: {' '.join(about.split())}" if about else line


def constructor(name: str, cls: type) -> str:
    if issubclass(cls, enum.Enum) or getattr(cls, "_is_protocol", False):
        return f"class {name}"
    for base in bases(cls):
        for node in body(base):
            if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "__new__"):
                return f"class {function(name, node, bound=True, returns=False)}"
    if not is_record(cls):
        return f"class {name}"
    fields = [node for node in members(cls).values() if isinstance(node, ast.AnnAssign)]
    fields.sort(key=lambda node: node.lineno)
    return f"class {name}{arguments([ast.unparse(node) for node in fields], len(name) + 6)}"


def is_record(cls: type) -> bool:
    """Whether the constructor takes the fields: a dataclass, or a tuple with names."""
    return dataclasses.is_dataclass(cls) or hasattr(cls, "_fields")


def function(name: str, node: ast.stmt, *, bound: bool = False, returns: bool = True) -> str:
    """The signature of a function as declared; of a bound one without the first argument."""
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + [ast.unparse(default) for default in given.defaults]
    listed = [argument(one, default) for one, default in zip(plain, defaults, strict=True)]
    if bound and not any(ast.unparse(decorator) == "staticmethod" for decorator in node.decorator_list):
        del listed[0]
    if given.vararg:
        listed.append(f"*{argument(given.vararg, None)}")
    elif given.kwonlyargs:
        listed.append("*")
    for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        listed.append(argument(one, ast.unparse(value) if value else None))
    if given.kwarg:
        listed.append(f"**{argument(given.kwarg, None)}")
    gives = f" -> {annotation(node.returns)}" if returns and node.returns else ""
    kind = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{kind}{name}{arguments(listed, len(kind + name + gives))}{gives}"


def arguments(listed: list[str], beside: int) -> str:
    """A list of arguments in parentheses, broken if with what stands beside it the line is too long."""
    line = f"({', '.join(listed)})"
    return line if len(line) + beside <= LINE else "(\n" + "".join(f"    {one},\n" for one in listed) + ")"


def argument(node: ast.arg, default: str | None) -> str:
    typed = f"{node.arg}: {annotation(node.annotation)}" if node.annotation else node.arg
    return typed if default is None else f"{typed} = {default}"


def annotation(node: ast.expr) -> str:
    """A type as written; an alias that is private to a module goes by its public name."""
    return re.sub(r"\b_(?=[A-Z])", "", ast.unparse(node))


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(decorator) in ("property", "cached_property") for decorator in node.decorator_list)


def bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "acap"]


def body(cls: type) -> list[ast.stmt]:
    node = declaration(cls.__module__, cls.__name__)
    assert isinstance(node, ast.ClassDef)
    return node.body


def declaration(module: str, name: str) -> ast.stmt:
    """Where a module, or its stub, declares a class or function."""
    return next(node for node in tree(module).body if getattr(node, "name", None) == name)


@cache
def tree(module: str) -> ast.Module:
    path = ROOT.joinpath("src", *module.split("."))
    files = (path.with_suffix(".pyi"), path.with_suffix(".py"), path / "__init__.py")
    return ast.parse(next(file for file in files if file.is_file()).read_text(encoding="utf-8"))


def docstring(thing: object) -> str:
    """The docstring as Markdown: a section becomes a list."""
    text = re.sub(r"``([^`]+)``", r"`\1`", inspect.getdoc(thing) or "")
    return SECTION.sub(section, f"{text}\n").strip()


def section(match: re.Match[str]) -> str:
    title, items = match[1], ITEM.findall(match[2])
    if not items:
        return f"{title}: {' '.join(match[2].split())}\n"
    return f"{title}:\n\n" + "".join(f"- `{name}`: {' '.join(about.split())}\n" for name, about in items) + "\n"


def code(text: str) -> str:
    return f"```python\n{text}\n```"
