# SPDX-License-Identifier: Apache-2.0
"""An app that gives a Wi-Fi chip its network (docs/emulators/nordic-wifi.md, protocols/nordic)."""

from pytest_readerlab import faults

CONTROL, DATA = "14387802-130C-49E7-B877-2881C89CB258", "14387803-130C-49E7-B877-2881C89CB258"
GET_STATUS, START_SCAN, SET_CONFIG = b"\x08\x01", b"\x08\x02", b"\x08\x04"
STATE, CONNECTED, FAILED = 0x10, 4, 5


def field(number: int, octets: bytes) -> bytes:
    """A length-delimited field of a message."""
    return bytes((number << 3 | 2, len(octets))) + octets


def provision(phone, device, network: bytes, passphrase: bytes) -> int:
    """The app: the last state, of those that the device reports while it joins."""
    link = phone.connect(phone.find(name=device.name))
    link.pair()
    states, answers = link.subscribe(DATA), link.subscribe(CONTROL)
    link.write(CONTROL, START_SCAN)
    answers.next()
    result = states.next()
    while network not in result:
        result = states.next()
    # The record (1) of a Result begins with the network's WifiInfo (1).
    wifi = result[4 : 4 + result[3]]
    link.write(CONTROL, SET_CONFIG + field(11, field(1, wifi) + field(2, passphrase)))
    answers.next()
    state = 0
    while state not in (CONNECTED, FAILED):
        kind, state = states.next()[:2]
        # Not a further record.
        state = state if kind == STATE else 0
    link.disconnect()
    return state


def test_a_network_is_joined(wifi_device, phone):
    assert provision(phone, wifi_device, b"Home", b"open sesame") == CONNECTED


def test_a_wrong_passphrase_is_reported(wifi_device, phone):
    assert provision(phone, wifi_device, b"Home", b"close sesame") == FAILED


@faults("wifi_device", "delay configured 1000")
def test_a_slow_answer_is_awaited(wifi_device, phone):
    assert provision(phone, wifi_device, b"Home", b"open sesame") == CONNECTED


def test_wrong_app_that_does_not_subscribe(wifi_device, phone):
    link = phone.connect(wifi_device)
    link.pair()
    link.write(CONTROL, GET_STATUS)
    wifi_device.wait("finding")
    link.disconnect()
