# SPDX-License-Identifier: Apache-2.0
"""The firmware under test, as a process: `readerd run` against one controller of the radio."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rig.processes import Child, Line

ROOT = Path(__file__).resolve().parents[3]
BINARY_VARIABLE = "READERD"

UNLOCKED = r"door: unlocked"
SECURED = r"door: secured"
"""The only lines of the log that tests rely on: the lock's edges."""


def binary() -> Path:
    """The program: $READERD, or what `swift build` leaves. Raises FileNotFoundError with the remedy."""
    path = Path(os.environ.get(BINARY_VARIABLE) or ROOT / ".build/debug/readerd")
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}: run `swift build --product readerd`, or set {BINARY_VARIABLE}")
    return path


LONGEST_DISK_WAIT_MS = 2500
"""`events.max-wait-ms` of every bench: the disk of a busy machine is slow, which is no fault."""


@dataclass
class Settings:
    """The configuration of one reader, tables of TOML as dictionaries. Other keys keep readerd's defaults."""

    tables: dict[str, dict[str, object]] = field(default_factory=dict)

    def toml(self) -> str:
        """The file's text. The table without a name is the file's own, and has to be the first."""
        return "\n".join(
            (f"[{name}]\n" if name else "") + "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
            for name, table in self.tables.items()
        )


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    raise TypeError(f"no TOML for {value!r}")


class Reader:
    """One running reader."""

    def __init__(self, child: Child) -> None:
        self.child = child

    @classmethod
    async def start(
        cls,
        hci: str,
        directory: Path,
        settings: Settings,
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Reader:
        """Starts it at the controller HOST:PORT, `serial:…` or `unix:…`, with a fresh state directory.

        `options` of the command line and variables of its `environment` are added to the usual ones.
        """
        configuration = directory / "readerd.toml"
        configuration.write_text(settings.toml())
        state = directory / "state"
        state.mkdir(exist_ok=True)
        command = [
            *(str(binary()), "run", "--hci", hci if hci.startswith(("serial:", "unix:")) else f"tcp-client:{hci}"),
            *("--state", str(state)),
            *("--config", str(configuration), "--log-level", "debug"),
            *options,
        ]
        return cls(await Child.start("readerd", command, env={**os.environ, **(environment or {})}))

    @property
    def edges(self) -> list[Line]:
        """Every edge of the lock so far."""
        return self.child.matching(f"{UNLOCKED}|{SECURED}")

    async def unlocked(self, seconds: float = 2.0) -> Line:
        """The lock's first opening edge."""
        return await self.child.line(UNLOCKED, seconds)

    async def secured_after(self, opening: Line, seconds: float) -> Line:
        """The first closing edge after `opening`."""
        return await self.child.line(SECURED, seconds, after=self.child.lines.index(opening) + 1)

    async def stop(self) -> int:
        """SIGTERM; its exit code."""
        return await self.child.stop()
