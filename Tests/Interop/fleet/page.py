# SPDX-License-Identifier: Apache-2.0
"""The page of a fleet's collector: `readerlab web fleet collect`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from fleet.broker import SECONDS, Broker
from fleet.desk import Desk
from fleet.door import program
from rig.processes import Child
from rig.web_page import Page


async def page(
    directory: Path, broker: Broker, terminal: ec.EllipticCurvePublicKey | None = None
) -> tuple[Child, Page]:
    """The page of a collector of the demo site, which may know another terminal key."""
    desk = await Desk(directory).open()
    if terminal:
        desk.know(terminal)
    identity = broker.authority.issue("collector")
    words = ["web", "--listen", "127.0.0.1:0", "fleet", "collect", "--broker", f"localhost:{broker.port}"]
    words += ["--ca", str(broker.authority.file), "--certificate", str(identity.certificate)]
    words += ["--key", str(identity.key), "--site", str(desk.site), "--database", str(directory / "fleet.db")]
    child = await Child.start("web", [program("readerlab"), *words], stdin=asyncio.subprocess.PIPE)
    line = await child.line("^page: ", SECONDS)
    return child, Page(child, line.text.partition(" ")[2])
