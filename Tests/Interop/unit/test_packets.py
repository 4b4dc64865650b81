# SPDX-License-Identifier: Apache-2.0
"""The published packets: our builder makes them octet for octet, our phone reads them."""

import pytest

from access.advertising import ACCESS, CLASSIC, IBEACON, MODES, ON_TOUCH, ManufacturerRecord

PACKETS = {
    ACCESS: "0303bafc0dff5e0c0000000000000000000009097761307931597753020ab3",
    IBEACON: "0303bafc1aff4c0002153abe6601d90d497588b78e3fe83a687a77613079b3",
    CLASSIC: "0201061107002a444965756c422a0000000153000009097761307931597753",
    ON_TOUCH: "0201061107002a444965756c422a0010000153000009097761307931597753",
}
SCAN_RESPONSE = "14ff5e0c000501003412c3b2a1650000000000000009097761307931597753"
RECORD = ManufacturerRecord(False, 5, 1, 0x1234, 0x65A1B2C3)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_packets(mode):
    assert mode.packet().hex() == PACKETS[mode]
    assert [other.matches(bytes.fromhex(PACKETS[mode])) for other in MODES] == [other is mode for other in MODES]


def test_scan_response():
    assert RECORD.scan_response().hex() == SCAN_RESPONSE
    assert ManufacturerRecord.decode(bytes.fromhex(SCAN_RESPONSE)[2:21]) == RECORD


def test_record_of_another_shape():
    good = RECORD.octets()
    for wrong in good[:-1], good + b"\0", b"\x4c\x00" + good[2:], good[:5] + b"\1" + good[6:], good[:-1] + b"\1":
        with pytest.raises(ValueError):
            ManufacturerRecord.decode(wrong)
