# SPDX-License-Identifier: Apache-2.0
"""An app that sets a room's temperature (docs/emulators/thermostat.md); and a device that is a file."""

import pytest
from bumble.att import ATT_Error

TEMPERATURE, TARGET = "2A6E", "7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A01"


def set_target(phone, thermostat, celsius: float) -> float:
    """The app: the target that the room has after it."""
    link = phone.connect(thermostat)
    values = link.subscribe(TARGET)
    link.write(TARGET, round(celsius * 100).to_bytes(2, "little", signed=True))
    target = int.from_bytes(values.next(), "little", signed=True) / 100
    link.disconnect()
    return target


def test_a_target_is_set(thermostat, phone):
    assert set_target(phone, thermostat, 23.5) == 23.5


def test_two_phones_at_once(thermostat, phone, other_phone):
    links = [one.connect(thermostat) for one in (phone, other_phone)]
    assert len({link.read(TARGET) for link in links}) == 1


def test_a_refused_target_is_reported(thermostat, phone):
    thermostat.fault("error set-target 0x0e")
    with pytest.raises(ATT_Error):
        set_target(phone, thermostat, 20)


def test_wrong_app_that_sends_degrees_as_one_octet(thermostat, phone):
    link = phone.connect(thermostat)
    with pytest.raises(ATT_Error):
        link.write(TARGET, b"\x15")


def test_a_device_of_a_file(gatt_device, phone):
    values = {"uuid": "2A37", "properties": ["notify"], "values": ["003c", "003e"], "notify-every": "100 ms"}
    heart = gatt_device({"name": "heart", "services": [{"uuid": "180D", "characteristics": [values]}]})
    beats = phone.connect(phone.find(name="heart")).subscribe("2A37")
    assert {beats.next(), beats.next()} == {b"\x00\x3c", b"\x00\x3e"} and heart.name == "heart"
