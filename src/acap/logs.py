"""What acap tells of itself while it works: records of `logging` under the name `acap`, quiet until somebody listens.

A record is one event: `acap_event` is its word, and its other fields are attributes of the record as well, each with
`acap_` before its name, so that a formatter need not take the text apart.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

PREFIX = "acap_"

_ROOT = logging.getLogger("acap")
# Without a handler Python itself would print warnings.
_ROOT.addHandler(logging.NullHandler())


def event(logger: logging.Logger, level: int, word: str, text: str, **fields: object) -> None:
    """Tells of an event. `text` is what people read; a field that is None is left out."""
    if logger.isEnabledFor(level):
        text = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)  # it may quote a site
        given = {f"{PREFIX}{name}": value for name, value in fields.items() if value is not None}
        logger.log(level, "%s: %s", word, text, extra={f"{PREFIX}event": word, **given})


class JsonFormatter(logging.Formatter):
    """A record as one JSON object: its time in UTC, its level, its logger, its text, and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields = {name[len(PREFIX) :]: value for name, value in vars(record).items() if name.startswith(PREFIX)}
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def has_listener() -> bool:
    """Whether somebody listens to records of acap."""
    return any(not isinstance(one, logging.NullHandler) for one in (*_ROOT.handlers, *logging.getLogger().handlers))


def listen(form: str, level: int = logging.DEBUG) -> None:
    """Writes the records of acap to standard error, as lines of `text` or of `json`. Called again, it replaces that."""
    handler = logging.StreamHandler()
    handler.name = "acap-log"
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonFormatter() if form == "json" else text)
    for old in [one for one in _ROOT.handlers if one.name == handler.name]:
        _ROOT.removeHandler(old)
    _ROOT.addHandler(handler)
    _ROOT.setLevel(level)
