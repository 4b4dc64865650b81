# SPDX-License-Identifier: Apache-2.0
"""The faults that each kind of emulated device accepts, as `readerlab emulate faults` names them: a test that goes
through them reaches a new one by itself, and fails as long as it has no effect to look for."""

from __future__ import annotations

import json
import subprocess

from rig.emulation import binary


def accepted(kind: str) -> dict[str | None, list[str]]:
    """The words of the faults by step; None for those of no step."""
    command = [str(binary()), "emulate", "faults", kind, "--json"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert rows, f"{kind} has no faults"
    return {row["step"]: [fault["fault"] for fault in row["faults"]] for row in rows}
