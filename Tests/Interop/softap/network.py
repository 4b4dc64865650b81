# SPDX-License-Identifier: Apache-2.0
"""Two hosts and the wire between them, in separate network namespaces: the device's access point and a phone."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator

DEVICE = "192.168.0.1"
PHONE = "192.168.0.2"
LINK_LOCAL = {DEVICE: "fe80::1", PHONE: "fe80::2"}
"""Separate addresses: those that the kernel makes are tentative for two seconds (RFC 4862), and cannot be used."""
READY = "ready"
SETUP_SECONDS = 10.0


class Unavailable(RuntimeError):
    """This machine makes no such network, and what to do."""


class Network:
    """Prefixes for commands: `device` and `phone` run them on their hosts."""

    def __init__(self, device: int, phone: int) -> None:
        enter = ("nsenter", "--user", "--preserve-credentials", "--net")
        self.device = (*enter, f"--target={device}")
        self.phone = (*enter, f"--target={phone}")


async def holder(*command: str) -> asyncio.subprocess.Process:
    """A process that holds a namespace until it is ended."""
    process = await asyncio.create_subprocess_exec(
        *command,
        *("sh", "-c", f"echo {READY}; exec sleep infinity"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    line = await asyncio.wait_for(process.stdout.readline(), SETUP_SECONDS)
    if line.strip() != READY.encode():
        said = (await process.stderr.read()).decode().strip()
        raise Unavailable(f"{command[0]}: {said}; these tests need user and network namespaces")
    return process


async def run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), SETUP_SECONDS)
    if process.returncode != 0:
        raise Unavailable(f"{' '.join(command)}: {output.decode().strip()}")


@contextlib.asynccontextmanager
async def network() -> AsyncIterator[Network]:
    """Both hosts, until the end of the block."""
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            raise Unavailable(f"there is no {tool}: apt-get install util-linux iproute2")
    async with contextlib.AsyncExitStack() as stack:

        async def held(*command: str) -> int:
            process = await holder(*command)

            async def end() -> None:
                process.kill()
                await process.wait()

            stack.push_async_callback(end)
            return process.pid

        device = await held("unshare", "--map-root-user", "--net")
        enter = ("nsenter", "--user", "--preserve-credentials", "--net", f"--target={device}")
        phone = await held(*enter, "unshare", "--net")
        hosts = Network(device, phone)
        await run(*hosts.device, "ip", "link", "add", "ap0", "type", "veth", "peer", "name", "wlan0")
        await run(*hosts.device, "ip", "link", "set", "wlan0", "netns", str(phone))
        for host, interface, address in ((hosts.device, "ap0", DEVICE), (hosts.phone, "wlan0", PHONE)):
            await run(*host, "ip", "address", "add", f"{address}/24", "dev", interface)
            await run(*host, "ip", "link", "set", "lo", "up")
            await run(*host, "ip", "link", "set", interface, "addrgenmode", "none", "up")
            await run(*host, "ip", "address", "add", f"{LINK_LOCAL[address]}/64", "dev", interface, "nodad")
        yield hosts
