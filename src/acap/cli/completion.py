"""`acap completion`: the script that makes a shell complete acap's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from acap.cli.commands import cli
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options

_SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(_SHELLS))
@terminal_options
@pass_terminal
def completion(terminal: Terminal, shell: str) -> Exit:
    """Print the completion script for SHELL: bash, zsh or fish.

    \b
    bash:  acap completion bash > ~/.local/share/bash-completion/completions/acap
    zsh:   acap completion zsh > ~/.zfunc/_acap        (with ~/.zfunc in fpath)
    fish:  acap completion fish > ~/.config/fish/completions/acap.fish
    """
    shell_completion = get_completion_class(shell)
    if shell_completion is None:
        raise LookupError(f"click has no completion for {shell}")
    # The base class's own `source`: bash's runs bash to look at its version, and the script may be for another machine.
    terminal.line(ShellComplete.source(shell_completion(cli, {}, "acap", "_ACAP_COMPLETE")).strip())
    return Exit.PERMITTED
