# SPDX-License-Identifier: Apache-2.0
"""Controllers that have less."""

from rig.profiles import FULL, LEGACY, NO_RSSI, PROFILES
from rig.rootcanal import ACL, COMMAND, EVENT, HciPacket

ALL_COMMANDS = HciPacket(EVENT, bytes.fromhex("0e4401021000") + b"\xff" * 64)
ALL_FEATURES = HciPacket(EVENT, bytes.fromhex("0e0c01032000") + b"\xff" * 8)


def test_legacy_lists_no_extended_advertising():
    octets = LEGACY.shown(ALL_COMMANDS).octets[6:]
    assert octets[35:39].hex() == "ff010080"
    assert octets.count(0xFF) == 61
    assert LEGACY.shown(ALL_FEATURES).octets[6:].hex() == "ffcfffffffffffff"


def test_legacy_refuses_what_it_does_not_list():
    assert LEGACY.refusal(COMMAND, bytes.fromhex("362019")).octets.hex() == "0f0401013620"
    assert LEGACY.refusal(COMMAND, bytes.fromhex("06200f")) is None
    assert LEGACY.refusal(ACL, bytes.fromhex("36200000")) is None


def test_no_rssi():
    assert NO_RSSI.shown(ALL_COMMANDS).octets[6 + 15] == 0xDF
    assert NO_RSSI.refusal(COMMAND, bytes.fromhex("0514020002")).octets.hex() == "0f0401010514"


def test_what_is_not_about_masks_stays():
    other = HciPacket(EVENT, bytes.fromhex("0e0401030c00"))
    for profile in PROFILES.values():
        assert profile.shown(other) == other
        assert profile.shown(HciPacket(ACL, ALL_COMMANDS.octets)).octets == ALL_COMMANDS.octets
    assert FULL.shown(ALL_COMMANDS) == ALL_COMMANDS
