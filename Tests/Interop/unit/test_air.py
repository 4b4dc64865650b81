# SPDX-License-Identifier: Apache-2.0
"""The air: who hears whom, and how loud."""

import pytest

from rig.air import DEFAULT_DBM, EVERYONE, Air
from rig.h4 import Framer, FramingError, frame


def test_directions_are_separate_and_the_most_exact_entry_wins():
    air = Air()
    assert air.rssi("a", "b", 0) == DEFAULT_DBM
    air.set_level(EVERYONE, EVERYONE, -90)
    air.set_level(EVERYONE, "b", -80)
    air.set_level("a", EVERYONE, -70)
    air.set_level("a", "b", -60)
    assert [air.rssi(*way, 0) for way in (("a", "b"), ("a", "c"), ("c", "b"), ("c", "d"), ("b", "a"))] == [
        *(-60, -70, -80, -90, -90)
    ]


def test_a_walk_is_linear_and_stays_at_its_end():
    air = Air()
    air.walk("a", "b", -90, -40, seconds=5, now=100)
    assert [air.rssi("a", "b", 100 + t) for t in (-1, 0, 1, 2.5, 5, 9)] == [-90, -90, -80, -65, -40, -40]


def test_noise_spreads_around_the_level():
    air = Air(seed=7)
    air.set_level("a", "b", -60, noise=4)
    values = [air.rssi("a", "b", 0) for _ in range(2000)]
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    assert abs(mean + 60) < 0.5
    assert abs(spread - 4) < 0.5


def test_levels_stay_within_what_hci_can_say():
    air = Air()
    air.set_level("a", "b", -200)
    air.set_level("b", "a", 50)
    assert (air.rssi("a", "b", 0), air.rssi("b", "a", 0)) == (-126, 20)


def test_loss_drops_its_share():
    air = Air(seed=3)
    air.set_loss("a", "b", 0.25)
    assert abs(sum(air.hears("a", "b") for _ in range(4000)) / 4000 - 0.75) < 0.03
    assert all(air.hears("b", "a") for _ in range(100))


H4_STREAM = [
    (1, bytes.fromhex("030c00")),
    (2, bytes.fromhex("00200300010203")),
    (4, bytes.fromhex("0e0401030c00")),
    (5, bytes.fromhex("0000014005")),
]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_h4_survives_any_split(size):
    stream = b"".join(frame(*packet) for packet in H4_STREAM)
    framer = Framer()
    packets = [p for at in range(0, len(stream), size) for p in framer.feed(stream[at : at + size])]
    assert packets == H4_STREAM


def test_h4_stops_at_an_unknown_type():
    with pytest.raises(FramingError):
        list(Framer().feed(b"\x07\x00"))
