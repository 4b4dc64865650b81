# SPDX-License-Identifier: Apache-2.0
"""An app that controls an indoor bike (docs/emulators/profiles.md); devices of other profiles start alike."""

CONTROL = "2AD9"
REQUEST_CONTROL, SET_RESISTANCE = b"\x00", b"\x04"
RESPONSE, SUCCESS, FAILED = 0x80, 1, 4


def set_resistance(phone, bike, level: float) -> int:
    """The app: the result code of the bike."""
    link = phone.connect(phone.find(name=bike.name))
    responses = link.subscribe(CONTROL)
    result = SUCCESS
    for request in (REQUEST_CONTROL, SET_RESISTANCE + round(level * 10).to_bytes(1, "little")):
        if result == SUCCESS:
            link.write(CONTROL, request)
            code, operation, result = responses.next()[:3]
            assert (code, operation) == (RESPONSE, request[0])
    link.disconnect()
    return result


def test_a_resistance_is_set(gatt_device, phone):
    assert set_resistance(phone, gatt_device(profile="ftms"), 5) == SUCCESS


def test_a_bike_that_another_app_controls_is_reported(gatt_device, phone):
    bike = gatt_device(None, "--fault", "refuses-control", profile="ftms")
    assert set_resistance(phone, bike, 5) == FAILED


def test_wrong_app_that_does_not_request_control(gatt_device, phone):
    bike = gatt_device(profile="ftms")
    link = phone.connect(phone.find(name=bike.name))
    responses = link.subscribe(CONTROL)
    link.write(CONTROL, SET_RESISTANCE + b"\x32")
    assert responses.next()[0] == RESPONSE
    link.disconnect()
