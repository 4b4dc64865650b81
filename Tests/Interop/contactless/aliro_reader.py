# SPDX-License-Identifier: Apache-2.0
"""The place of a reader in a group of Aliro readers, and its key."""

import asyncio
import json
import subprocess

from rig.bench import Bench
from rig.reader import binary

GROUP, DOOR = "00112233445566778899aabbccddeeff", "0123456789abcdef0123456789abcdef"


async def reader_point(bench: Bench) -> str:
    """The point that phones have to know."""
    words = [str(binary()), "aliro", "--state", str(bench.state), "--json"]
    done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["key"]
