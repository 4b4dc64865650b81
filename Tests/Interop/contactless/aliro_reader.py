# SPDX-License-Identifier: Apache-2.0
"""The place of a reader in a group of Aliro readers, and its key."""

import asyncio
import json
import subprocess
from pathlib import Path

from rig.bench import Bench
from rig.reader import binary

GROUP, DOOR = "00112233445566778899aabbccddeeff", "0123456789abcdef0123456789abcdef"


def point_of(state: Path) -> str:
    """The point of the reader with this state directory, whose key is made if there is none."""
    words = [str(binary()), "aliro", "--state", str(state), "--json"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["key"]


async def reader_point(bench: Bench) -> str:
    """The point that phones have to know."""
    return await asyncio.to_thread(point_of, bench.state)
