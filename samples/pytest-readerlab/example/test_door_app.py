# SPDX-License-Identifier: Apache-2.0
"""An app that opens a door (docs/protocol/access-profile.md), and the reader that goes wrong."""

import pytest
from pytest_readerlab import faults
from pytest_readerlab.access import RX, TX, Refusal, message


def test_a_phone_at_the_door_opens_it(reader, phone):
    assert phone.open_door(reader.bundle) == "tokn: done"
    assert "unlocked" in reader.wait("door", text="door: unlocked for a grant")["text"]


def test_a_phone_across_the_street_does_not(reader, phone, air):
    air.rssi(phone, reader, -85)
    with pytest.raises(Refusal, match="ended the link"):
        phone.open_door(reader.bundle)


@faults("reader", "wrong-proof proof", "code answer -21")
def test_a_reader_that_is_not_trusted_or_refuses(reader, phone):
    with pytest.raises(Refusal, match=r"wrong reader|status -21"):
        phone.open_door(reader.bundle)


def test_wrong_app_that_does_not_subscribe(reader, phone):
    link = phone.connect(reader)
    link.write(RX, message(b"\x12\x0a\x10" + bytes(range(16))))
    link.disconnect()
    assert TX
