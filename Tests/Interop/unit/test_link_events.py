# SPDX-License-Identifier: Apache-2.0
"""Connection events and supervision on a virtual clock."""

import pytest

from rig.links import ACL, CONNECT, CONNECT_COMPLETE, DISCONNECT, Links

READER, PHONE = bytes.fromhex("0102030405c1"), bytes.fromhex("0a0b0c0d0ec2")
INTERVAL, TIMEOUT = 0.015, 0.720


def packet(kind, source, destination, fields=b""):
    return bytes((kind,)) + source + destination + fields


@pytest.fixture
def links():
    """One link since 10.0 s: 12 times 1.25 ms, no latency, 72 times 10 ms."""
    links = Links()
    links.sent("phone", packet(CONNECT, PHONE, READER, bytes(8)), 10.0)
    links.sent("reader", packet(CONNECT_COMPLETE, READER, PHONE, bytes.fromhex("01010c0000004800")), 10.0)
    return links


def test_one_empty_packet_each_way_per_interval(links):
    assert links.events(10.0149) == []
    events = links.events(10.0151)
    assert [(e.sender, e.receiver) for e in events] == [("phone", "reader"), ("reader", "phone")]
    assert events[0].octets == packet(ACL, PHONE, READER, b"\x01\x00")
    assert links.events(10.0299) == []
    assert len(links.events(10.0301)) == 2


def test_a_stall_is_not_made_up_for_by_a_burst(links):
    assert len(links.events(10.5)) == 2
    assert len(links.events(10.5)) == 2
    assert links.events(10.501) == []


def keep_alive(links, until, *receivers):
    now = 10.0
    while now < until:
        now += INTERVAL
        for event in links.events(now):
            if event.receiver in receivers:
                links.kept_alive(event, now)
    return now


def test_who_hears_nothing_loses_the_link_then_the_other(links):
    now = keep_alive(links, 10.69, "phone")
    assert links.endings(now) == []
    (ending,) = links.endings(10.0 + TIMEOUT)
    assert (ending.receiver, ending.octets) == ("reader", packet(DISCONNECT, PHONE, READER, b"\x08"))
    assert links.events(11) == []
    (ending,) = links.endings(now + TIMEOUT)
    assert (ending.receiver, ending.octets) == ("phone", packet(DISCONNECT, READER, PHONE, b"\x08"))
    assert links.endings(100) == []


def test_a_lost_host_is_noticed_only_by_its_peer(links):
    links.lost("phone")
    assert links.events(10.1) == []
    assert [e.receiver for e in links.endings(10.0 + TIMEOUT)] == ["reader"]
    assert links.endings(100) == []


def test_a_link_that_was_ended_has_no_timeout(links):
    ending = packet(DISCONNECT, READER, PHONE, b"\x13")
    links.sent("reader", ending, 10.1)
    links.heard("phone", ending)
    assert links.endings(100) == []


def test_a_lost_ending_leaves_the_other_to_its_timeout(links):
    links.sent("reader", packet(DISCONNECT, READER, PHONE, b"\x13"), 10.1)
    assert links.events(10.2) == []
    assert [e.receiver for e in links.endings(10.0 + TIMEOUT)] == ["phone"]
