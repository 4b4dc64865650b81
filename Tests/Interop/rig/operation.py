# SPDX-License-Identifier: Apache-2.0
"""The reader from the view of an operator and the service manager: its command line, and a socket for notices."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from rig.bench import Bench
from rig.processes import Child, listens
from rig.reader import binary

COMMAND_SECONDS = 10.0
"""For one command; it takes a few milliseconds."""


NOTICE_SECONDS = 15.0
"""For a notice, a start of the reader included."""


@dataclass(frozen=True)
class Done:
    """The exit code and output of a command."""

    code: int
    output: str
    errors: str


class Operator:
    """`readerd status` and its like, asked of the bench's reader."""

    def __init__(self, bench: Bench) -> None:
        self._control = bench.control
        self._state = bench.state

    async def run(self, *words: str) -> Done:
        """One command of the control socket, which a reader that starts has to make first."""
        async with asyncio.timeout(COMMAND_SECONDS):
            while not listens(self._control):
                await asyncio.sleep(0.02)
        return await _run(*words, "--control", str(self._control))

    async def events(self, *options: str) -> Done:
        """`readerd events`."""
        return await _run("events", "--state", str(self._state), *options)

    async def follow(self) -> Child:
        """`readerd events --json --follow`, which runs until it is stopped."""
        return await Child.start(
            "readerd events", [str(binary()), "events", "--state", str(self._state), "--json", "--follow"]
        )

    async def status(self) -> dict:
        """The answer to `readerd status --json`."""
        done = await self.run("status", "--json")
        assert done.code == 0, done
        return json.loads(done.output)

    async def metrics(self) -> Metrics:
        """The output of `readerd metrics`, as Prometheus reads it."""
        done = await self.run("metrics")
        assert done.code == 0, done
        return Metrics(done.output)


async def _run(*words: str) -> Done:
    process = await asyncio.create_subprocess_exec(
        str(binary()),
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return Done(process.returncode, output.decode(), errors.decode())


class Metrics:
    """A text that Prometheus collects, by sample and labels. Raises ValueError for another text."""

    def __init__(self, text: str) -> None:
        self.kinds: dict[str, str] = {}
        self.samples: dict[tuple[str, frozenset], float] = {}
        for family in text_string_to_metric_families(text):
            if family.name in self.kinds:
                raise ValueError(f"{family.name} is there twice")
            self.kinds[family.name] = family.type
            for sample in family.samples:
                key = sample.name, frozenset(sample.labels.items())
                if key in self.samples:
                    raise ValueError(f"{key} is there twice")
                self.samples[key] = sample.value

    def value(self, name: str, **labels: str) -> float:
        """One sample; 0 for a missing one, as with a label that has not occurred."""
        return self.samples.get((f"readerd_{name}", frozenset(labels.items())), 0.0)

    def buckets(self, name: str) -> list[tuple[float, float]]:
        """A histogram's bounds and counts, ascending."""
        return sorted(
            (float(dict(labels)["le"]), value)
            for (sample, labels), value in self.samples.items()
            if sample == f"readerd_{name}_bucket"
        )


class NoticeSocket:
    """A substitute for systemd: the received datagrams, each as its assignments."""

    def __init__(self, endpoint: socket.socket) -> None:
        self._endpoint = endpoint
        self.notices: list[dict[str, str]] = []

    async def until(self, key: str, value: str, after: int = -1) -> int:
        """The number of the first notice behind number `after` that has `value` in `key`. Raises TimeoutError."""
        seen = after + 1
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(NOTICE_SECONDS):
            while True:
                while seen < len(self.notices):
                    if value in self.notices[seen].get(key, ""):
                        return seen
                    seen += 1
                octets = await loop.sock_recv(self._endpoint, 4096)
                self.notices.append(dict(line.split("=", 1) for line in octets.decode().splitlines()))


@contextmanager
def notice_socket(directory: Path):
    """The socket at `directory`/notify."""
    endpoint = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    try:
        endpoint.bind(str(directory / "notify"))
        yield NoticeSocket(endpoint)
    finally:
        endpoint.close()
