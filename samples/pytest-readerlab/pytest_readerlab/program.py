# SPDX-License-Identifier: Apache-2.0
"""A `readerlab` process: its lines, typed commands, and its end by process id."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

VARIABLE = "READERLAB"
SECONDS = 30.0
"""The limit for a line: most come within milliseconds."""
STOP_SECONDS = 10.0
"""The limit from `quit` or SIGTERM to the end."""


class ProgramEnded(Exception):
    """The process ended early; the text has its last lines."""


def program() -> str:
    """The path of `readerlab`: $READERLAB, next to this Python, or on PATH. Raises FileNotFoundError."""
    beside = Path(sys.executable).parent / "readerlab"
    named = os.environ.get(VARIABLE)
    path = named or (str(beside) if beside.exists() else shutil.which("readerlab"))
    if path is None or not Path(path).exists():
        raise FileNotFoundError(
            f"{path or 'readerlab'} is not installed: pip install readerlab, apt install readerlab, or set {VARIABLE}"
        )
    return str(Path(path).absolute())


class Program:
    """A process of `readerlab … --json`. Lines that are no JSON are kept as text."""

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments
        self.lines: list[dict] = []
        self._news = threading.Condition()
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [program(), *arguments, "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout:
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {"event": "text", "text": line.rstrip()}
            with self._news:
                self.lines.append(entry)
                self._news.notify_all()
        self._process.wait()
        with self._news:
            self._news.notify_all()

    @property
    def mark(self) -> int:
        """The number of lines so far."""
        return len(self.lines)

    def events(self, event: str) -> list[dict]:
        """Every line of this event so far."""
        return [line for line in self.lines if line["event"] == event]

    def wait(self, event: str, seconds: float = SECONDS, after: int = 0, **members: object) -> dict:
        """The first line of `event` with these members, from line `after` on.

        Raises ProgramEnded when the process ends first, TimeoutError after `seconds`.
        """
        deadline = time.monotonic() + seconds
        wanted = {"event": event} | members
        with self._news:
            while True:
                for line in self.lines[after:]:
                    if wanted.items() <= line.items():
                        return line
                if not self._reader.is_alive() or self._process.returncode is not None:
                    raise ProgramEnded(f"{self.title} ended before {wanted}:\n{self.tail()}")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{self.title}: no {wanted} within {seconds} s:\n{self.tail()}")
                self._news.wait(left)

    def type(self, line: str) -> dict:
        """The answer to a typed line."""
        with self._turn:
            mark = self.mark
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            return self.wait("answer", after=mark)

    def stop(self) -> int:
        """Sends SIGTERM; the exit code, negative for a signal."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.returncode

    @property
    def title(self) -> str:
        """The command without its options."""
        return "readerlab " + " ".join(self.arguments[:2])

    def tail(self, count: int = 20) -> str:
        """The last lines."""
        return "\n".join(json.dumps(line, ensure_ascii=False) for line in self.lines[-count:]) or "(no output)"
