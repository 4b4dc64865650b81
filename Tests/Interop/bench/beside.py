# SPDX-License-Identifier: Apache-2.0
"""A link to a hostile broker next to a reader that is measured, until SIGTERM: `script/bench --door` starts it.

    python -m bench.beside SOCKET READERD-LINK

The socket is the reader's, which may come later. At the end it prints what the broker has done, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from fleet.hostile import HostileBroker
from rig.processes import Child

PAUSE_SECONDS = 0.05
NICENESS = 10
"""A broker is another machine's in the field: it does not take the reader's processor here."""


async def beside(socket: Path, link: str) -> None:
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with HostileBroker() as broker:
        child = None
        while not ended.is_set():
            if child is None and socket.exists():
                command = [link, "run", "--plain", "--spread", "0", "--broker", f"127.0.0.1:{broker.port}"]
                child = await Child.start("readerd-link", [*command, "--reader", str(socket)])
            await asyncio.sleep(PAUSE_SECONDS)
        runs = child is not None and child.returncode is None
        if child:
            await child.stop()
    print(json.dumps({"flooded": broker.flooded, "connections": broker.connections, "link-runs": runs}))


if __name__ == "__main__":
    os.nice(NICENESS)
    asyncio.run(beside(Path(sys.argv[1]), sys.argv[2]))
