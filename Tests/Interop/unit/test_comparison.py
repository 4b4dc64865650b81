# SPDX-License-Identifier: Apache-2.0
"""The comparison of claims with observations, and of openings with requests."""

from rig.comparison import UNDECIDED_SECONDS, YOUNG_SECONDS, Comparison, Openings
from rig.observer import FACTS, claims_of

STATUS = {
    "controller": {"ready": True, "advertising": True, "modes": [{"mode": "access", "state": "on-air"}]},
    "osdp": {"state": "secure"},
    "link": {"connected": True},
    "events": {"state": "ok"},
    "faults": [],
}


def test_a_disagreement_is_reported_once_it_lasts_too_long():
    comparison = Comparison(limit=30)
    assert comparison.note("link", 0, [True, True], False, "broker: killed") is None
    assert comparison.note("link", 30, [True, True], False, "broker: killed") is None
    assert comparison.note("link", 31, [True, True], False, "broker: killed") == 31
    assert comparison.note("link", 32, [True, True], False, "broker: killed") is None, "once"
    assert comparison.longest == {"broker: killed": 32}


def test_an_agreement_ends_a_disagreement():
    comparison = Comparison(limit=30)
    comparison.note("panel", 0, [False, False], True, "")
    # Either claim around an observation is enough.
    assert comparison.note("panel", 29, [False, True], True, "") is None
    assert comparison.note("panel", 58, [False, False], True, "") is None
    assert comparison.note("panel", 88, [False, False], True, "") is None
    assert comparison.note("panel", 89, [False, False], True, "") == 31


def test_without_a_claim_there_is_no_disagreement_and_without_an_observation_no_news():
    comparison = Comparison(limit=30)
    comparison.note("disk", 0, [True, True], False, "")
    assert comparison.note("disk", 20, [True, True], None, "") is None
    assert comparison.note("disk", 40, [True, True], False, "") == 40
    assert comparison.note("disk", 41, [None, True], False, "") is None
    assert comparison.note("disk", 42, [True, True], False, "") is None


def test_each_opening_needs_a_young_request():
    openings = Openings()
    openings.request(100, "phone")
    assert openings.unexplained([100 + YOUNG_SECONDS], 200) == []
    openings.request(200, "phone")
    late = 200.1 + YOUNG_SECONDS
    assert openings.unexplained([105, late], 300) == [late]
    openings.request(300, "refused").is_refused = True
    assert openings.unexplained([105, late, 301], 400) == [301]
    openings.request(400, "phone")
    assert openings.unexplained([105, late, 301, 401, 402], 500) == [402], "one request, two openings"


def test_an_opening_is_judged_once_the_outcome_is_known():
    openings = Openings()
    assert openings.unexplained([10], 10 + UNDECIDED_SECONDS) == []
    assert openings.unexplained([10], 11 + UNDECIDED_SECONDS) == [10]
    assert openings.unexplained([10], 12 + UNDECIDED_SECONDS) == []


def test_the_facts_of_a_status():
    assert claims_of(STATUS) == dict.fromkeys(FACTS, True)
    assert claims_of(None) == dict.fromkeys(FACTS)
    unusable = {"ready": True, "advertising": True, "modes": [{"mode": "access", "state": "without-rssi"}]}
    for change, fact in (
        ({"controller": STATUS["controller"] | {"advertising": False}}, "advertising"),
        ({"controller": unusable}, "served"),
        ({"osdp": {"state": "refused"}}, "panel"),
        ({"faults": [{"code": "panel-silent"}]}, "panel"),
        ({"link": {"connected": False}}, "link"),
        ({"events": {"state": "failing"}}, "disk"),
        ({"faults": [{"code": "disk-full"}]}, "disk"),
    ):
        assert claims_of(STATUS | change) == dict.fromkeys(FACTS, True) | {fact: False}, change
