# SPDX-License-Identifier: Apache-2.0
"""The faults that each kind of emulated device accepts, as `readerlab emulate faults` names them: a test that goes
through them reaches a new one automatically, and fails as long as it has no effect to look for."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from rig.emulation import binary

DELAY_MS = 500
ARGUMENTS = {
    "delay": str(DELAY_MS),
    "code": "77",
    "error": "14",
    "truncate": "1",
    "replace": "a1b2",
    "extend": "c3d4",
}
"""An argument for the words that have one: milliseconds, a code, an ATT error, a count of octets, octets."""


def accepted(kind: str) -> dict[str | None, list[str]]:
    """The words of the faults by step; None for faults of no step."""
    command = [str(binary()), "emulate", "faults", kind, "--json"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert rows, f"{kind} has no faults"
    return {row["step"]: [fault["fault"] for fault in row["faults"]] for row in rows}


def typed(word: str, step: str) -> str:
    """The line that plans a fault for the next time."""
    return f"fault {word} {step} {ARGUMENTS.get(word, '')}".strip()


@dataclass(frozen=True)
class Effect:
    """The values that an app gets when a fault meets them, and whether the link ends with them."""

    values: list[bytes]
    ends: bool = False

    @classmethod
    def of(cls, word: str, values: list[bytes], place: int, coded: bytes) -> Effect:
        """For a fault of `values[place]`, which is `coded` with the code of ARGUMENTS. Raises KeyError for a word
        whose effect is not known here."""
        before, value, after = values[:place], values[place], values[place + 1 :]
        if word.startswith("disconnect-"):
            return cls(before + {"disconnect-before": [], "disconnect-after": [value]}[word], ends=True)
        sent = {
            "delay": [value],
            "drop": [],
            "duplicate": [value, value],
            "code": [coded],
            "truncate": [value[:1]],
            "replace": [bytes.fromhex(ARGUMENTS["replace"])],
            "extend": [value + bytes.fromhex(ARGUMENTS["extend"])],
        }[word]
        return cls(before + sent + after)
