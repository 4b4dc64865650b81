# SPDX-License-Identifier: Apache-2.0
"""OSS files and results against the published samples, octet for octet."""

from access import identity, tokens
from access.oss import (
    DEFAULT,
    EXTENDED,
    NO_ACCESS_BLACKLISTED,
    UNLOCKED,
    AccessEventsResult,
    AccessResult,
    Data,
    Day,
    Door,
    Info,
    SecureIdentifier,
    StandardOffline,
    blacklist_file,
    extension_file,
    minute,
)
from access.tokens import Timestamp
from access.wire import read, required

END = minute(2030, 12, 31, 23, 58)


def test_info_file():
    assert Info().octets() == bytes.fromhex("010100 43524544303030303031 00 10")
    assert Info("EVIL", kind=1).octets() == bytes.fromhex("010101 0000000000004556494c 00 10")


def test_data_file():
    sample = bytes.fromhex("203012312358 0001 00 1f 01 01 00000000 0001 0a") + bytes(68)
    assert Data(END, doors=(Door(1, extended=True),), room=1).octets() == sample


def test_a_data_file_with_schedules():
    days = Day(0b001_1111, ((7, 0, 19, 0),)), Day(0b010_0000, ((9, 0, 12, 30), (13, 0, 24, 0)))
    doors = Door(258, schedule=1), Door(7, is_door=False, toggle=True)
    data = Data(END, 515, doors, ((days[0], days[1]),), has_extensions=False, days=2, periods=2)
    assert data.octets() == bytes.fromhex(
        "203012312358 0203 00 15 02 00 00000000 010218 0007041f 07001900 0000000020 09001230 13002400"
    )


def test_blacklist_and_extension_file():
    assert blacklist_file([("EVIL", minute(2030, 1, 1))]) == bytes.fromhex("01 0000000000004556494c 203001010000")
    assert extension_file(minute(2023, 1, 1)) == bytes.fromhex("000a 01 06 202301010000")
    assert extension_file(None) == b"\x00\x02"


def test_tokens_are_signed_over_their_files():
    files = StandardOffline(requested_events=3, supported_events=(8, 10, 11))
    fields = read(files.token())
    body = read(required(fields, 3, bytes))
    joined = b"".join(required(body, number, bytes) for number in range(1, 5))
    assert tokens.verifies(identity.SIGNATURE_PUBLIC, required(fields, 1, bytes), joined)
    assert required(body, 5, int) == 3
    assert required(body, 6, bytes) == bytes.fromhex("00000000000000 01 00 01 01 00")
    fields = read(SecureIdentifier().token())
    info = required(read(required(fields, 4, bytes)), 1, bytes)
    assert info == bytes.fromhex("010000 43524544303030303031")
    assert tokens.verifies(identity.SIGNATURE_PUBLIC, required(fields, 1, bytes), info)


NO_END = "220c080010001800200028003000"
RESULTS = {
    f"18 0a16 0801 1002 1803 {NO_END} 2800": AccessResult(True, EXTENDED, UNLOCKED),
    f"18 0a16 0800 1008 1800 {NO_END} 2800": AccessResult(False, NO_ACCESS_BLACKLISTED),
    f"18 0a16 0800 1001 1800 {NO_END} 2801": AccessResult(False, DEFAULT, mismatch=True),
    "19 0a17 0801 1001 1803 220d08e80f100618052011281e3000 2800": AccessResult(
        True, DEFAULT, UNLOCKED, Timestamp(2024, 6, 5, 17, 30)
    ),
}


def test_results():
    for text, result in RESULTS.items():
        octets = bytes.fromhex(text)
        assert AccessEventsResult.decode(octets) == AccessEventsResult(result)
        assert AccessEventsResult(result).octets() == octets
