"""acap: what publishers permit, decided and explained.

import acap

policy = acap.parse_robots(open("robots.txt", "rb").read())
decision = policy.decide("/news/a.html", crawler="SearchBot1", usage="present-snippet")
print(decision.outcome, *decision.restrictions)
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# The one list of public names is the stub: `from module import name as name`, a line each. A name's module is imported
# when it is asked for, so that a command starts with what it needs. Where an extra is missing the name is there all the
# same, and its call tells how to install it.
_STUB = __spec__.loader.get_data(__file__.rpartition(".")[0] + ".pyi").decode()
_MODULES = {line.split()[3]: line.split()[1] for line in _STUB.splitlines() if line.startswith("from ")}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:  # `Any` would cost half of the time of an import
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module `acap` has no attribute `{name}`")
    try:
        value = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        return import_module("acap.extras").stand_in(name, error)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
