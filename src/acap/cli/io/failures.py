"""Mistakes of a call, each in one line: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import click

from acap.cli.io.exits import Exit


class CallError(click.ClickException):
    """A wrong call: the message is one line, lower case, and tells what to do after a semicolon."""

    def __init__(self, message: str, *, code: Exit = Exit.WRONG_CALL) -> None:
        """`code` is what the call ends with."""
        super().__init__(message)
        self.code = code


def missing_extra(extra: str, command: str) -> CallError:
    """The failure of a command whose optional dependencies are not installed."""
    return CallError(
        f"`acap {command}` needs packages that are not installed; install them with: pip install 'acap[{extra}]'"
    )


_MOST_NAMED = 40  # beyond, a list is no help in a message


def suggestion(word: str, known: Iterable[str], *, listed_by: str | None = None) -> str:
    """The end of a message about an unknown word: the nearest known one, those that it is a part of, or all of them.

    `listed_by`: the command that lists what is known, for when that is too much for a message.
    """
    words = list(known)
    asked = word.lower()
    if close := get_close_matches(asked, words, n=1, cutoff=0.6):
        return f"; did you mean `{close[0]}`?"
    if len(asked) > 2 and 0 < len(within := [one for one in words if asked in one]) < 6:
        return f"; did you mean {' or '.join(f'`{one}`' for one in within)}?"
    if listed_by is not None and len(words) > _MOST_NAMED:
        return f"; `{listed_by}` lists them"
    return f"; known are {', '.join(words)}"


def _missing_value(error: click.ClickException) -> str:
    """The message for an option that is not there, or has no value: what belongs there. Empty for other failures."""
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return ""
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        return f"missing option `{error.param.opts[0]} {error.param.make_metavar(error.ctx)}`"
    if isinstance(error, click.BadOptionUsage) and error.message.endswith("requires an argument."):
        options = (parameter for parameter in error.ctx.command.params if error.option_name in parameter.opts)
        return "".join(f"option `{error.option_name} {one.make_metavar(error.ctx)}` needs its value" for one in options)
    return ""


def one_line(error: click.ClickException) -> str:
    """The message of any failure, click's own included, as one line."""
    if isinstance(error, CallError):
        text = error.message
    else:
        if isinstance(error, click.NoSuchOption):
            text = f"no option `{error.option_name}`"
            if error.possibilities:
                text += f"; did you mean `{error.possibilities[0]}`?"
        elif value := _missing_value(error):
            text = value
        else:
            text = error.format_message().replace("'", "`").rstrip(".")
            text = text[:1].lower() + text[1:]
        if isinstance(error, click.UsageError) and error.ctx is not None:
            text += f" (see `{error.ctx.command_path} --help`)"
    return " ".join(text.split())
