# SPDX-License-Identifier: Apache-2.0
"""A mixed attack on one reader, and a rightful phone that comes again and again.

    python -m rig.attack --minutes 60 [--every 30] [--json]
    python -m rig.attack --honesty --minutes 30 [--seed N] [--only TEXT] [--json]

What it does: three phones with dead credentials (an ended one, a command token and a credential that are called
back) ask as often as they are let, and every 2 s at least; one shows forged tokens that name a victim; two are too far
away; one asks to pair. It prints how it goes, and a table at its end; it ends with 1 where what is promised is missed.
With --honesty no one attacks: rig/honesty.py.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from bumble import hci
from bumble.core import BaseBumbleError

from access.advertising import ACCESS
from access.oss import Data, Info, StandardOffline, blacklist_file, minute
from access.tokens import Command, Timestamp, command_token
from access.wire import delimited, message
from rig.bench import FAR_DBM, Bench
from rig.operation import Operator
from rig.phone import Link, LinkLost, NotReached, Phone, Refused
from rig.rows import stored

PROMISED_SECONDS = 1.5
"""From the start of the rightful phone's scan to its result, with all attackers active."""
PROMISED_SHARE = 0.98
SERVED_WITHIN_SECONDS = 10.0
"""The time limit of the rightful phone; after it the phone counts as not served."""
LONGEST_SECONDS = 24 * 3600.0
AROUND_SECONDS = 120.0
"""For the bench's start and end, and a last coming that is not served."""

MEMORY_MB = 1.0
"""The permitted growth of the reader's resident memory from the third visit on; by then each attacker has connected."""

SHOW_SECONDS = 2.0
"""The interval at which a revoked credential is shown on an open link."""
FORGE_SECONDS = 0.02
AGAIN_SECONDS = 0.05
PAIR_SECONDS = 3.0
STEP_SECONDS = 5.0
"""For anything else that an attacker waits for: it comes again after that."""

RIGHTFUL, VICTIM, CALLED_BACK, CALLED_BACK_OSS = "GUEST00001", "VICTIM0001", "CALLED0001", "CALLED0002"

GONE = (LinkLost, NotReached, Refused, TimeoutError, LookupError, BaseBumbleError, hci.HCI_Error, ConnectionError)
"""Possible failures of an attacker, which then tries again."""


def ended() -> bytes:
    """A credential that ended years ago."""
    return StandardOffline(info=Info("ENDED00001").octets(), data=Data(end=minute(2024, 1, 31, 12)).octets()).token()


def called_back() -> bytes:
    """A command token whose credential is on the blacklist."""
    return command_token(Command("tokn", credential=CALLED_BACK))


def called_back_oss() -> bytes:
    """A credential that is on the blacklist."""
    return StandardOffline(info=Info(CALLED_BACK_OSS).octets(), blacklist=blacklist_file(())).token()


def forged() -> bytes:
    """A token in the name of a victim with another party's signature."""
    return command_token(Command("tokn", credential=VICTIM), group="PING")


async def call_back(link: Link, *credentials: str) -> None:
    """Puts them on the reader's blacklist."""
    entries = [(1, message((1, message((1, name))), (2, Timestamp(2089).body()))) for name in credentials]
    assert await stored(link, Command("BL_PUSH", data=delimited(message(*entries)))) == b""


class Attackers:
    """Attacking phones, each in its own task until `stop`."""

    def __init__(self, bench: Bench, address: hci.Address) -> None:
        self._bench = bench
        self._address = address
        self._tasks: list[asyncio.Task] = []
        self.shown: Counter[str] = Counter()
        """The number of credentials shown, or attempts made, by each."""

    async def dead(self, *tokens: bytes) -> None:
        """One phone each that shows its token as soon as it has a link, and again every 2 s."""
        for number, token in enumerate(tokens):

            async def attack(link: Link, token: bytes = token) -> None:
                await link.prepare()
                while True:
                    with contextlib.suppress(Refused):
                        await link.show(token)
                    self.shown["dead"] += 1
                    await asyncio.sleep(SHOW_SECONDS)

            await self._begin(f"dead-{number}", attack)

    async def forger(self) -> None:
        """Forged tokens, one behind the other."""

        async def attack(link: Link) -> None:
            await link.prepare()
            while True:
                with contextlib.suppress(Refused):
                    await link.show(forged())
                self.shown["forged"] += 1
                await asyncio.sleep(FORGE_SECONDS)

        await self._begin("forger", attack)

    async def far(self, count: int) -> None:
        """Phones that are nowhere near, and ask all the same."""

        async def attack(link: Link) -> None:
            self.shown["far"] += 1
            await link.prepare()
            await link.run("tokn")
            raise AssertionError("a far phone was served")

        for number in range(count):
            await self._begin(f"far-{number}", attack, FAR_DBM)

    async def pairer(self) -> None:
        """A phone that asks to pair, which the reader never does."""

        async def attack(link: Link) -> None:
            self.shown["pairing"] += 1
            with contextlib.suppress(*GONE):
                await asyncio.wait_for(link.pair(), PAIR_SECONDS)
                raise AssertionError("the reader has paired")

        await self._begin("pairer", attack)

    async def _begin(self, name: str, attack: Callable[[Link], Awaitable[None]], dbm: float | None = None) -> None:
        phone = await (self._bench.phone(name) if dbm is None else self._bench.phone(name, dbm))
        self._tasks.append(asyncio.create_task(self._keep_on(phone, attack)))

    async def _keep_on(self, phone: Phone, attack: Callable[[Link], Awaitable[None]]) -> None:
        while True:
            link = None
            with contextlib.suppress(*GONE):
                link = await phone.connect(self._address, seconds=STEP_SECONDS)
                await attack(link)
            if link:
                with contextlib.suppress(*GONE):
                    await link.disconnect()
            await asyncio.sleep(AGAIN_SECONDS)

    def check(self) -> None:
        """Raises what an attacker has found that must not be."""
        for task in self._tasks:
            if task.done() and (error := task.exception()):
                raise error

    async def stop(self) -> None:
        """All of them give up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def come(phone: Phone, address: hci.Address, token: bytes) -> float | None:
    """A visit with a valid credential: the seconds to the result, or None without one."""
    start = time.monotonic()
    while (left := start + SERVED_WITHIN_SECONDS - time.monotonic()) > 0:
        link = None
        try:
            link = await phone.connect(address, seconds=left)
            await link.prepare()
            assert await link.show(token) == b""
            return time.monotonic() - start
        except GONE:
            continue
        finally:
            if link:
                with contextlib.suppress(*GONE):
                    await link.disconnect()
    return None


async def records(operator: Operator) -> list[dict]:
    """All of the reader's log, with the cleared part."""
    done = await operator.events("--json", "--cleared", "--last", "1000000")
    assert done.code == 0, done
    return [json.loads(line) for line in done.output.splitlines()]


def resident_megabytes(pid: int) -> float:
    """The resident memory of the process (proc(5), VmRSS)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"no VmRSS of process {pid}")


@dataclass
class Outcome:
    """The outcome of an attack."""

    seconds: float = 0
    waited: list[float | None] = field(default_factory=list)
    """By coming: seconds to the result; None if it was not served."""
    memory: list[float] = field(default_factory=list)
    """By coming, in MB."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Records of each kind."""
    entrances: int = 0
    """Grants of the rightful credential in the log."""
    names_victim: bool = False
    verifies: bool = False
    log_octets: int = 0
    shown: Counter[str] = field(default_factory=Counter)

    @property
    def served(self) -> list[float]:
        """The times of those that were, ascending."""
        return sorted(seconds for seconds in self.waited if seconds is not None)

    @property
    def in_time(self) -> int:
        """The number of visits served within the promised time."""
        return sum(seconds <= PROMISED_SECONDS for seconds in self.served)

    @property
    def growth(self) -> float:
        """By how much the memory grew after the first comings, in MB."""
        settled = self.memory[2:] or self.memory
        return settled[-1] - settled[0]

    def percentile(self, share: float) -> float:
        """The time within which that share was served, of those who were."""
        served = self.served
        return served[min(len(served) - 1, int(share * len(served)))] if served else float("inf")

    def faults(self) -> list[str]:
        """The promises that were not kept."""
        faults = []
        if self.in_time < PROMISED_SHARE * len(self.waited):
            faults.append(f"served within {PROMISED_SECONDS} s: {self.in_time} of {len(self.waited)}")
        if self.growth > MEMORY_MB:
            faults.append(f"memory grew by {self.growth:.2f} MB")
        if self.entrances < len(self.served):
            faults.append(f"the log has {self.entrances} of {len(self.served)} entrances")
        if self.names_victim:
            faults.append("the log names the victim")
        if not self.verifies:
            faults.append("the log does not verify")
        return faults

    def table(self) -> str:
        """For people."""
        lines = [
            f"comings       {len(self.waited)} in {self.seconds:.0f} s",
            f"served        {len(self.served)}, of these {self.in_time} within {PROMISED_SECONDS} s",
            f"times         p50 {self.percentile(0.5):.3f} s, p98 {self.percentile(0.98):.3f} s,"
            f" longest {self.percentile(1):.3f} s",
            f"memory        first {self.memory[0]:.2f} MB, last {self.memory[-1]:.2f} MB,"
            f" most {max(self.memory):.2f} MB",
            f"attacks       {', '.join(f'{name} {count}' for name, count in sorted(self.shown.items()))}",
            f"log           {sum(self.kinds.values())} records, {self.log_octets} octets, entrances {self.entrances},"
            f" {'verifies' if self.verifies else 'DOES NOT VERIFY'}",
            *(f"  {kind:<22}{count}" for kind, count in self.kinds.most_common()),
            *(f"MISSED        {fault}" for fault in self.faults()),
        ]
        return "\n".join(lines)

    def json(self) -> str:
        """For machines."""
        return json.dumps(
            {
                "seconds": round(self.seconds, 1),
                "comings": len(self.waited),
                "served": len(self.served),
                "in-time": self.in_time,
                "p50-s": round(self.percentile(0.5), 3),
                "p98-s": round(self.percentile(0.98), 3),
                "longest-s": round(self.percentile(1), 3),
                "memory-first-mb": round(self.memory[0], 2),
                "memory-last-mb": round(self.memory[-1], 2),
                "records": dict(self.kinds),
                "entrances": self.entrances,
                "log-octets": self.log_octets,
                "attacks": dict(self.shown),
                "missed": self.faults(),
            }
        )


async def _look_at_log(bench: Bench, outcome: Outcome) -> None:
    operator = Operator(bench)
    found = await records(operator)
    outcome.kinds = Counter(record["kind"] for record in found)
    outcome.entrances = sum(record["kind"] == "granted" and record.get("credential") == RIGHTFUL for record in found)
    outcome.names_victim = any(VICTIM[:8] in str(value) for record in found for value in record.values())
    outcome.verifies = (await operator.events("--verify")).code == 0
    outcome.log_octets = sum(path.stat().st_size for path in bench.state.glob("events.db*"))


async def mixed(seconds: float, every: float, progress: Callable[[str], None] = lambda _: None) -> Outcome:
    """The whole attack for so long, with a coming of the rightful phone in each `every` seconds."""
    outcome = Outcome()
    async with Bench(door={"pulse-s": 1}) as bench:
        phone = await bench.phone("rightful")
        address = (await phone.find(ACCESS)).address
        maintenance = await (await phone.connect(address)).prepare()
        await call_back(maintenance, CALLED_BACK, CALLED_BACK_OSS)
        await maintenance.disconnect()
        attackers = Attackers(bench, address)
        await attackers.dead(ended(), called_back(), called_back_oss())
        await attackers.forger()
        await attackers.far(2)
        await attackers.pairer()
        token = command_token(Command("tokn", credential=RIGHTFUL))
        start = time.monotonic()
        while (due := start + every * (len(outcome.waited) + 1)) <= start + seconds:
            await asyncio.sleep(max(0, due - time.monotonic()))
            outcome.waited.append(await come(phone, address, token))
            outcome.memory.append(resident_megabytes(bench.reader.child.pid))
            attackers.check()
            waited = outcome.waited[-1]
            progress(
                f"{time.monotonic() - start:7.0f} s  coming {len(outcome.waited)}:"
                f" {'not served' if waited is None else f'{waited:.3f} s'}, {outcome.memory[-1]:.2f} MB"
            )
        await attackers.stop()
        outcome.seconds = time.monotonic() - start
        outcome.shown = attackers.shown
        # Failed authentications are written one second later.
        await asyncio.sleep(1.5)
        await _look_at_log(bench, outcome)
    return outcome


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--honesty", action="store_true", help="troubles instead of attackers (rig/honesty.py)")
    parser.add_argument("--minutes", type=float, help="how long (60; with --honesty 30)")
    parser.add_argument("--every", type=float, default=30, help="seconds between two comings (30)")
    parser.add_argument("--seed", type=int, help="the order of the troubles (a random one, which is printed)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only troubles whose names contain this")
    parser.add_argument("--json", action="store_true", help="an object of JSON instead of the table, no progress")
    options = parser.parse_args()
    seconds = (options.minutes or (30 if options.honesty else 60)) * 60

    def progress(line: str) -> None:
        if not options.json:
            print(line, file=sys.stderr, flush=True)

    if options.honesty:
        return _honesty(parser, seconds, options, progress)
    if not 0 < options.every <= seconds <= LONGEST_SECONDS:
        parser.error("--minutes takes up to a day, and --every no more than that")
    outcome = asyncio.run(asyncio.wait_for(mixed(seconds, options.every, progress), seconds + AROUND_SECONDS))
    print(outcome.json() if options.json else outcome.table())
    return 1 if outcome.faults() else 0


def _honesty(
    parser: argparse.ArgumentParser, seconds: float, options: argparse.Namespace, say: Callable[[str], None]
) -> int:
    # It imports this module.
    from rig import honesty

    if not 0 < seconds <= honesty.LONGEST_SECONDS:
        parser.error("--minutes takes up to 4 hours with --honesty")
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    say(f"seed {seed}")
    run = honesty.honest(seconds, seed, honesty.PACES, say, options.only)
    outcome = asyncio.run(asyncio.wait_for(run, seconds + 2 * AROUND_SECONDS))
    print(outcome.json() if options.json else outcome.table())
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
