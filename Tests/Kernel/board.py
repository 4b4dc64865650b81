# SPDX-License-Identifier: Apache-2.0
"""Starts the virtual board: see board/virt/run."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bench import program
from machine import CACHE, ROOT, Failure, Machine

COMMAND_SECONDS = 300.0


def start(directory: Path, command: str, console: bool) -> Machine:
    """The board, on; `command` is run on it, or with a console a shell."""
    # Of board/virt/run they are in its environment, of the kernel tests in a folder.
    if not (CACHE / "python").is_dir() and find_spec("bleak") is None:
        raise Failure("the phone's packages are missing: script/bootstrap --board fetches them")
    machine = Machine(directory, console=console)
    values = {"READERD": str(program("readerd")), "PYTHON": sys.executable, "PHONE_PACKAGES": str(CACHE / "python")}
    return machine.start((ROOT / "board/virt/guest.sh").read_text(), {**values, "COMMAND": command})


def main() -> int:
    """The command's exit status, or 0 when the shell has ended."""
    directory = Path(tempfile.mkdtemp(prefix="board-"))
    # One argument is a line of shell, several are the words of a command.
    command = sys.argv[1] if len(sys.argv) == 2 else shlex.join(sys.argv[1:])
    try:
        machine = start(directory, command, console=not command)
        if not command:
            machine.wait_for_end()
            return 0
        result = machine.wait(COMMAND_SECONDS)
        print(result.output, end="")
        return result.code
    except Failure as failure:
        print(f"board/virt/run: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
