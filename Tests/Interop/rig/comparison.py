# SPDX-License-Identifier: Apache-2.0
"""Claims of a reader against others' observations, openings against requests, and the outcome of both."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

DISAGREE_SECONDS = 30.0
"""The longest permitted disagreement (docs/operate/faults.md)."""

YOUNG_SECONDS = 5.0
"""The greatest age of a request at the lock's edge. A request waits 2.5 s at most; a phone needs a second for it."""
UNDECIDED_SECONDS = 15.0
"""An edge is judged after this time, when the outcome of each earlier request is known."""


@dataclass
class Failure:
    """A promise that was not kept."""

    at: float
    """Seconds from the start."""
    fact: str
    text: str
    troubles: str

    def line(self) -> str:
        """For people."""
        return f"{self.at:.0f} s, {self.fact}: {self.text}; under way: {self.troubles}"


@dataclass
class Comparison:
    """The disagreements about each fact, and how long they last."""

    limit: float = DISAGREE_SECONDS
    longest: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds, by trouble."""
    _since: dict[str, float] = field(default_factory=dict)
    _reported: set[str] = field(default_factory=set)

    def note(
        self, fact: str, at: float, claims: Iterable[bool | None], seen: bool | None, trouble: str
    ) -> float | None:
        """Compares the claims made around an observation with it. Returns the length of a disagreement that has passed
        the limit, once for each.

        An observation without a result changes nothing. A claim that is missing is no disagreement.
        """
        if seen is None:
            return None
        if None in (stated := tuple(claims)) or seen in stated:
            self._since.pop(fact, None)
            self._reported.discard(fact)
            return None
        lasted = at - self._since.setdefault(fact, at)
        self.longest[trouble] = max(self.longest[trouble], lasted)
        if lasted <= self.limit or fact in self._reported:
            return None
        self._reported.add(fact)
        return lasted


@dataclass
class Request:
    """A request to open, from `begun` on."""

    begun: float
    what: str
    is_refused: bool = False


class Openings:
    """Each opening edge of the lock needs one request that is young and was not refused."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.count = 0

    def request(self, at: float, what: str) -> Request:
        """A request begins."""
        self.requests.append(Request(at, what))
        return self.requests[-1]

    def unexplained(self, edges: list[float], now: float) -> list[float]:
        """The edges among those not yet judged that no request explains. Each request explains one."""
        found = []
        while self.count < len(edges) and edges[self.count] < now - UNDECIDED_SECONDS:
            edge = edges[self.count]
            self.count += 1
            young = [each for each in self.requests if edge - YOUNG_SECONDS <= each.begun <= edge]
            reason = next((each for each in young if not each.is_refused), None)
            if reason is None:
                found.append(edge)
            else:
                self.requests.remove(reason)
            self.requests = [request for request in self.requests if request.begun > edge - YOUNG_SECONDS]
        return found


@dataclass
class Outcome:
    """The outcome of a run."""

    seed: int
    profile: str
    seconds: float = 0
    tried: dict[str, int] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    healed: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def table(self) -> str:
        """For people."""
        lines = [
            f"seed {self.seed}, {self.profile} controller, {self.seconds:.0f} s:"
            f" {', '.join(f'{name} {count}' for name, count in self.counts.items())}",
            f"{'trouble':<40}{'times':>6}{'longest disagreement':>22}{'longest healing':>17}",
            *(
                f"{name:<40}{times:>6}{self.longest.get(name, 0):>20.1f} s"
                + (f"{self.healed[name]:>15.1f} s" if name in self.healed else f"{'-':>17}")
                for name, times in sorted(self.tried.items())
            ),
            *(f"MISSED  {failure.line()}" for failure in self.failures),
        ]
        return "\n".join(lines)

    def json(self) -> str:
        """For machines."""
        troubles = {
            name: {
                "times": times,
                "longest-disagreement-s": round(self.longest.get(name, 0), 1),
                "longest-healing-s": round(self.healed[name], 1) if name in self.healed else None,
            }
            for name, times in sorted(self.tried.items())
        }
        return json.dumps(
            {
                "seed": self.seed,
                "controller": self.profile,
                "seconds": round(self.seconds, 1),
                **self.counts,
                "troubles": troubles,
                "missed": [failure.line() for failure in self.failures],
            }
        )
