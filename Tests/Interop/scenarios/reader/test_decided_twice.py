# SPDX-License-Identifier: Apache-2.0
"""Generated credentials, decided by the reader's own code and by a second implementation (`access.decision`)."""

from __future__ import annotations

from collections import Counter

import pytest

from access.decision import Verdict, decide, decide_identifier, fields
from rig.generated_credentials import Case, Generator
from rig.probe import ask, secure_identifier, standard_offline, verdict

COUNT = 20_000
IDENTIFIERS = 2_000
SEED = 33

PROBE_SECONDS = 120.0
"""For all decisions: 3 s on an idle machine."""

LEAST = {
    "-6": 100, "-7": 100, "-32": 50, "-200": 10, "-230": 100, "-231": 200, "-233": 20, "-234": 10, "-235": 20,
    "-237": 100, "-243": 1, "-244": 10, "-245": 10, "-246": 20, "-247": 20, "-248": 50,
    "nothing": 100, "8/0": 10, "8/0 11/130": 500, "11/128": 1000, "11/131": 1000, "11/132": 500, "10/2": 1500,
    "10/3": 500, "10/4": 300, "10/5": 200, "9/0": 50, "end": 800, "end on another day": 200, "no end": 1000,
    "pushed group": 500, "group of the file": 500,
}  # fmt: skip
"""The least number of each kind, so that the generator cannot come to make one kind alone."""


def kinds(case: Case, expected: Verdict) -> list[str]:
    """The distinctions of the case, in the words of LEAST."""
    if expected.status:
        return [str(expected.status)]
    found = [" ".join(event for event in expected.events if event != "9/0") or "nothing"]
    if "9/0" in expected.events:
        found.append("9/0")
    if expected.granted and case.now:
        found.append("end" if any(expected.end) else "no end")
        if any(expected.end) and expected.end[:3] != fields(case.now)[:3]:
            found.append("end on another day")
        if case.reader.groups.get(13):
            found.append("pushed group" if case.pushed else "group of the file")
    return found


@pytest.mark.seconds(PROBE_SECONDS)
def test_standard_offline():
    """Status, grant, type, mismatch, end of the schedule, events, and who is blacklisted afterwards."""
    generator = Generator(SEED)
    cases = [generator.case() for _ in range(COUNT)]
    requests = [standard_offline(case.files, case.reader, case.now and fields(case.now), case.pushed) for case in cases]
    seen: Counter[str] = Counter()
    different = []
    for case, answer in zip(cases, ask(requests, PROBE_SECONDS), strict=True):
        expected = decide(case.files, case.reader, case.now)
        seen.update(kinds(case, expected))
        if answer.startswith("error") or verdict(answer) != expected:
            different.append(f"{answer!r} instead of {expected}, of {case}")
    assert not different, f"{len(different)} are decided differently: " + "\n".join(different[:5])
    print(dict(sorted(seen.items())))
    assert not {kind: seen[kind] for kind, least in LEAST.items() if seen[kind] < least}, "too few of a kind"


@pytest.mark.seconds(PROBE_SECONDS)
def test_secure_identifiers():
    """The same for Secure Identifiers."""
    generator = Generator(SEED)
    cases = [generator.identifier() for _ in range(IDENTIFIERS)]
    requests = [secure_identifier(info, reader, now and fields(now)) for info, reader, now in cases]
    seen: Counter[str] = Counter()
    for (info, reader, now), answer in zip(cases, ask(requests, PROBE_SECONDS), strict=True):
        expected = decide_identifier(info, reader, now)
        seen[str(expected.status) if expected.status else " ".join(expected.events) or "nothing"] += 1
        assert verdict(answer) == expected, f"{info.hex()}, {reader}, {now}"
    assert set(seen) == {"-6", "-32", "-200", "-280", "-281", "nothing", "8/0 11/130", "11/128", "10/2"}
    assert min(seen.values()) >= 5, seen
