# SPDX-License-Identifier: Apache-2.0
"""`readerd self-test --board` on a terminal: a person is asked about a running reader, and the report keeps answers."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rig import terminal
from rig.bench import Bench
from rig.lines import Lines
from rig.reader import binary
from rig.terminal import END_OF_INPUT, HANG_UP, INTERRUPT

START_SECONDS = 20.0
LOCK, GREEN = 0, 1
BOARD = {
    "": {"allow-demo-identity": True},
    "door": {"pulse-s": 1},
    "gpio": {"lock": f"gpiochip0:{LOCK}", "led-granted": f"gpiochip0:{GREEN}"},
}
"""A board with a relay and a light: three parts are asked about, the phone with them."""
RELAY, CLICK = "relay: Enter opens the door for its pulse; n skips: ", "the lock free in between? [not shown]: "
LIGHT, LIT = "led-granted: Enter opens the door for its pulse; n skips: ", "while the lock was free? [not shown]: "
PHONE = "Was the lock free? [not shown]: "

pytestmark = pytest.mark.seconds(90)


class Board:
    """A running reader, and where a report of it goes."""

    def __init__(self, bench: Bench, lines: Lines, directory: Path) -> None:
        self.bench, self.lines, self.report = bench, lines, directory / "report"

    @property
    def orders(self) -> int:
        """How often the reader was asked to open. Two that follow at once are one pulse of the relay."""
        return len(self.bench.reader.child.matching('"unlock":"pulse"'))

    @property
    def has_opened(self) -> bool:
        """Whether the relay was energised."""
        return any(edge.level for edge in self.lines.of(LOCK))

    async def asks(self, *exchanges: tuple[str, str | None], options: tuple[str, ...] = ()) -> tuple[int, str]:
        """The exit status, and all that was shown."""
        command = [str(binary()), "self-test", "--board", str(self.report), "--config", str(self.bench.configuration)]
        command += ["--state", str(self.bench.state), "--control", str(self.bench.control), *options]
        return await terminal.converse(command, *exchanges)

    def results(self) -> dict[str, str]:
        """The report's lines on the configured parts; whole, whatever has ended the questions."""
        text = self.report.read_text()
        assert text.startswith("readerd ") and text.endswith("was shown.\n"), text
        _, _, seen = text.partition("Seen by a person:\n")
        rows = [row.split(maxsplit=1) for row in seen.partition("\n\n")[0].splitlines()]
        return {name: result for name, result in rows if result != "not configured"}


@asynccontextmanager
async def board(directory: Path) -> AsyncIterator[Board]:
    lines = Lines(directory)
    async with Bench(environment=lines.environment, **BOARD) as bench:
        # Before, the self-test finds no advertising.
        await bench.reader.child.line("advertising on", START_SECONDS)
        yield Board(bench, lines, directory)


async def test_all_that_is_configured_is_shown(directory: Path) -> None:
    async with board(directory) as it:
        code, shown = await it.asks(
            (RELAY, ""), (CLICK, "y"), (LIGHT, ""), (LIT, "perhaps"), (LIT, "yes"), (PHONE, "y")
        )
        assert code == 0, shown
        assert "y, n, or nothing" in shown and shown.endswith(f"The report is in {it.report}.\n")
        assert it.results() == {"relay": "shown", "led-granted": "shown", "phone": "shown"}
        assert it.orders == 2 and it.has_opened
        report = it.report.read_text()
        assert "All that is configured was shown." in report and "controller   ok" in report
        # It is not written over.
        code, shown = await it.asks()
        assert code == 1 and "File exists" in shown and it.report.read_text() == report


async def test_no_and_nothing_are_not_shown(directory: Path) -> None:
    async with board(directory) as it:
        code, shown = await it.asks((RELAY, ""), (CLICK, "n"), (LIGHT, "n"), (PHONE, ""), options=("--json",))
        assert code == 1, shown
        report = json.loads(it.report.read_text())
        assert report["ok"] and report["reader-runs"] and report["complete"] is False
        results = {each["check"]: each["result"] for each in report["board"]}
        assert results.pop("relay") == "failed"
        assert results.pop("led-granted") == results.pop("phone") == "not-shown"
        assert set(results.values()) == {"not-configured"} and len(results) == 5
        assert it.orders == 1 and it.has_opened


@pytest.mark.parametrize(
    ("last", "code"),
    [(END_OF_INPUT, 1), (INTERRUPT, -signal.SIGINT), (HANG_UP, -signal.SIGHUP)],
    ids=["end of input", "control-c", "hang-up"],
)
async def test_what_was_answered_outlasts_an_interruption(directory: Path, last: str | None, code: int) -> None:
    async with board(directory) as it:
        ended, shown = await it.asks((RELAY, ""), (CLICK, "y"), (LIGHT, last))
        assert ended == code, shown
        assert it.results() == {"relay": "shown", "led-granted": "not shown", "phone": "not shown"}
        assert "Not all that is configured was shown." in it.report.read_text()


async def test_an_interruption_before_the_first_answer_leaves_the_self_test(directory: Path) -> None:
    async with board(directory) as it:
        ended, shown = await it.asks((RELAY, INTERRUPT))
        assert ended == -signal.SIGINT, shown
        assert set(it.results().values()) == {"not shown"} and "controller   ok" in it.report.read_text()
        assert it.orders == 0 and not it.has_opened
