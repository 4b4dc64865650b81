# SPDX-License-Identifier: Apache-2.0
"""How a link ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from bumble.device import Connection, Device


@contextlib.contextmanager
def end_of_next_link(device: Device) -> Iterator[asyncio.Future[int]]:
    """The reason for which the link that is opened within this block ends, once it has.

    Listens from the connection's event on: the end may follow it in one read of the transport, before whoever waits for
    `device.connect` continues.
    """
    end: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def watch(connection: Connection) -> None:
        connection.on(Connection.EVENT_DISCONNECTION, lambda reason: end.done() or end.set_result(int(reason)))

    device.once(Device.EVENT_CONNECTION, watch)
    try:
        yield end
    finally:
        if watch in device.listeners(Device.EVENT_CONNECTION):
            device.remove_listener(Device.EVENT_CONNECTION, watch)
