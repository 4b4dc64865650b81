# SPDX-License-Identifier: Apache-2.0
"""Compares the claims of a reader with the views of a phone, a panel, a broker and the log, and has its parts fail."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from access.advertising import ACCESS
from access.tokens import Command
from fleet.passage import Passage, Subscriber
from panel.troubles import PanelTroubles
from rig.attack import GONE
from rig.bench import Bench
from rig.comparison import Comparison, Failure, Openings, Outcome
from rig.lines import Lines
from rig.operation import Operator
from rig.phone import NotReached, Phone, Refused
from rig.reader_troubles import LONGEST, Trouble

HEAL_SECONDS = 30.0
"""From the end of a trouble until it is healed."""
STATUS_SECONDS = 3.0
"""For an answer of the control socket; without one there is no claim."""
SEEN_SECONDS, VISIT_SECONDS = 3.0, 8.0
"""The longest scan, and the longest time from there to the result."""
BETWEEN_VISITS_SECONDS = 1.0
READ_SECONDS = 5.0
"""In which the log is read again for an entrance that was acknowledged."""
LOCK = 0
PULSE = "pulse"

FACTS = {"advertising": "controller", "served": "controller", "panel": "panel", "link": "broker", "disk": "disk"}
"""The part whose troubles each fact shows."""
ANSWER = "answer"
"""For the process: its status is answered."""


@dataclass(frozen=True)
class Pace:
    """Seconds of troubles, and between them: the least and the most."""

    trouble: tuple[float, float]
    rest: tuple[float, float]


def claims_of(status: dict | None) -> dict[str, bool | None]:
    """The facts that a status claims; without one, none."""
    if status is None:
        return dict.fromkeys(FACTS)
    controller = status["controller"]
    codes = {fault["code"] for fault in status["faults"]}
    return {
        "advertising": controller["advertising"],
        "served": controller["ready"] and all(mode["state"] == "on-air" for mode in controller["modes"]),
        "panel": status["osdp"]["state"] == "secure" and not codes & {"panel-silent", "panel-line"},
        "link": status["link"]["connected"],
        "disk": status["events"]["state"] == "ok" and not any(code.startswith(("disk-", "log-")) for code in codes),
    }


class Observer:
    """One reader, the parts around it, and the comparison of its claims with their views."""

    def __init__(self, outcome: Outcome, bench: Bench, lines: Lines, say: Callable[[str], None]) -> None:
        self.outcome = outcome
        self._bench = bench
        self._lines = lines
        self._say = say
        self._begin = time.monotonic()
        self._comparison = Comparison()
        self._openings = Openings()
        self._operator = Operator(bench)
        self.under_way: dict[str, str] = {}
        """The trouble of each part."""
        self._last: dict[str, str] = {}
        self._well: dict[str, tuple[float, float]] = {}
        """The beginning and end of the last observation by which a fact was claimed and seen to be well."""
        self.stopped_seconds = 0.0
        self._entrances = self._visits = self._probes = 0

    @property
    def _now(self) -> float:
        return time.monotonic()

    # Claims

    async def status(self) -> dict | None:
        """The reader's status; None without an answer."""
        answer = await self.ask({"get": "status"})
        return answer if answer and answer.get("ok") else None

    async def ask(self, request: dict) -> dict | None:
        """One request to the control socket; None without an answer."""
        try:
            async with asyncio.timeout(STATUS_SECONDS):
                reader, writer = await asyncio.open_unix_connection(self._bench.control, limit=1 << 20)
                try:
                    writer.write(json.dumps(request).encode() + b"\n")
                    return json.loads(await reader.readline() or "null")
                finally:
                    writer.close()
        except (TimeoutError, OSError):
            return None

    def note(
        self, fact: str, begun: float, claims: list[dict[str, bool | None]], seen: bool | None, why: str = ""
    ) -> None:
        """Compares one fact with an observation since `begun`."""
        part = FACTS[fact]
        trouble = self.under_way.get(part) or self._last.get(part) or f"({part}: none)"
        stated = [claim[fact] for claim in claims]
        if seen and all(stated):
            self._well[fact] = begun, self._now
        lasted = self._comparison.note(fact, self._now, stated, seen, trouble)
        if lasted:
            self.fail(fact, f"claimed {stated}, observed {seen}{why and f' ({why})'} for {lasted:.0f} s")

    def fail(self, fact: str, text: str) -> None:
        """A promise was not kept."""
        under_way = ", ".join(f"{part}: {name}" for part, name in {**self._last, **self.under_way}.items())
        failure = Failure(self._now - self._begin, fact, text, under_way or "nothing")
        self.outcome.failures.append(failure)
        self._say(f"FAILED, seed {self.outcome.seed}, {failure.line()}\n{self._bench.reader.child.tail(60)}")

    # Observations

    async def watch(self, panel: PanelTroubles, passage: Passage, subscriber: Subscriber) -> None:
        """Panel, broker and lock, again and again."""
        while True:
            begun = self._now
            status = await self.status()
            if status:
                self._well[ANSWER] = begun, self._now
            before = claims_of(status)
            secure, session = panel.is_secure, passage.has_session and subscriber.online == b"1"
            after = claims_of(await self.status())
            self.note("panel", begun, [before, after], secure)
            self.note("link", begun, [before, after], session)
            self._judge_edges(self._now)
            await asyncio.sleep(1)

    def _judge_edges(self, now: float) -> None:
        rising = [edge.at / 1e9 for edge in self._lines.of(LOCK) if edge.level]
        for edge in self._openings.unexplained(rising, now):
            near = [f"{request.what} {request.begun - edge:+.1f} s" for request in self._openings.requests[:5]]
            self.fail("lock", f"opened {edge - self._begin:.1f} s after the start without a young request; {near}")

    async def probe(self, chance: random.Random) -> None:
        """Orders whose records the disk takes, or does not."""
        while True:
            await asyncio.sleep(chance.uniform(4, 8))
            begun = self._now
            before = claims_of(await self.status())
            self._probes += 1
            request = self._openings.request(self._now, "order")
            answer = await self.ask({"unlock": PULSE, "id": f"probe-{self._probes}"})
            request.is_refused = bool(answer and not answer["ok"])
            reason = (answer or {}).get("refused")
            seen = None if answer is None or reason not in (None, "not-recorded") else answer["ok"]
            self.note("disk", begun, [before, claims_of(await self.status())], seen, reason or "")

    async def visit(self, phone: Phone) -> None:
        """A phone that comes again and again, with another credential each time."""
        while True:
            begun = self._now
            before = claims_of(await self.status())
            stopped = self.stopped_seconds
            seen, served, why = await self._visit_once(phone)
            after = claims_of(await self.status())
            if stopped == self.stopped_seconds and "process" not in self.under_way:
                self.note("advertising", begun, [before, after], seen, why)
                self.note("served", begun, [before, after], served, why)
            await asyncio.sleep(BETWEEN_VISITS_SECONDS)

    async def _visit_once(self, phone: Phone) -> tuple[bool, bool, str]:
        """Whether it is seen, whether a phone is served, and why not."""
        self._visits += 1
        try:
            sighting = await phone.find(ACCESS, SEEN_SECONDS)
        except NotReached as error:
            return False, False, str(error)
        credential = f"H{self._visits:09d}"
        link, request = None, None
        try:
            async with asyncio.timeout(VISIT_SECONDS):
                link = await (await phone.connect(sighting.address, SEEN_SECONDS)).prepare()
                request = self._openings.request(self._now, credential)
                await link.run(Command("tokn", credential=credential))
            self._entrances += 1
            await self._look_for(credential)
            return True, True, ""
        except Refused as error:
            request.is_refused = True
            return True, True, str(error)
        except GONE as error:
            return True, False, repr(error)
        finally:
            if link:
                with contextlib.suppress(*GONE):
                    await asyncio.wait_for(link.disconnect(), SEEN_SECONDS)

    async def _look_for(self, credential: str) -> None:
        """An entrance that was acknowledged is in the log."""
        end = self._now + READ_SECONDS
        while True:
            done = await self._operator.events("--json", "--last", "60")
            if f'"{credential}"' in done.output:
                return
            if self._now > end:
                self.fail("log", f"the entrance of {credential} was acknowledged and is not there: {done.errors}")
                return
            await asyncio.sleep(0.3)

    # Troubles

    async def well(self, facts: list[str], since: float, seconds: float) -> float | None:
        """The seconds from `since` until all these facts are claimed and seen to be well; None after the time, in
        which a stopped process does not count."""
        stopped = self.stopped_seconds
        while not all(self._well.get(fact, (0, 0))[0] > since for fact in facts):
            if self._now - since > seconds + self.stopped_seconds - stopped and "process" not in self.under_way:
                return None
            await asyncio.sleep(0.2)
        return max(self._well[fact][1] - since for fact in facts)

    @property
    def missing(self) -> list[str]:
        """The facts that were never well."""
        return sorted(set(FACTS) - set(self._well))

    async def trouble(self, part: str, kinds: dict[str, Trouble], pace: Pace, chance: random.Random) -> None:
        """One trouble of a part after the other: each kind once, then again in another order."""
        facts = [fact for fact, owner in FACTS.items() if owner == part] or [ANSWER]
        while True:
            for name in chance.sample(sorted(kinds), len(kinds)):
                rest, seconds = chance.uniform(*pace.rest), chance.uniform(*pace.trouble)
                seconds = min(seconds, LONGEST.get(name, seconds))
                await asyncio.sleep(rest)
                self._say(f"{self._now - self._begin:7.1f} s  {part}: {name}, {seconds:.0f} s")
                label = f"{part}: {name}"
                begin = self._now
                self.under_way[part] = label
                async with kinds[name]():
                    await asyncio.sleep(seconds)
                if part == "process":
                    self.stopped_seconds += self._now - begin
                self._last[part] = self.under_way.pop(part)
                self.outcome.tried[label] = self.outcome.tried.get(label, 0) + 1
                end = self._now
                # The pauses of readerd-link grow with the outage (docs/operate/fleet.md).
                limit = HEAL_SECONDS + (3 * seconds if part == "broker" else 0)
                healed = await self.well(facts, end, limit)
                if healed is None:
                    self.fail(part, f"not healed {limit:.0f} s after the end of {name}")
                    await self.well(facts, end, float("inf"))
                    healed = self._now - end
                self.outcome.healed[label] = max(self.outcome.healed.get(label, 0), healed)
                self._say(f"{self._now - self._begin:7.1f} s  {part}: healed after {healed:.1f} s")

    def finish(self) -> None:
        """Sums up."""
        self._judge_edges(float("inf"))
        self.outcome.seconds = self._now - self._begin
        self.outcome.longest = dict(self._comparison.longest)
        self.outcome.counts = {
            "visits": self._visits,
            "entrances": self._entrances,
            "orders": self._probes,
            "openings": self._openings.count,
        }
