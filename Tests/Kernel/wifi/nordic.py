# SPDX-License-Identifier: Apache-2.0
"""Nordic's Wi-Fi provisioning from a phone's side, written from the published facts, with nothing of readerd."""

from __future__ import annotations

SERVICE = "14387800-130c-49e7-b877-2881c89cb258"
INFORMATION, CONTROL_POINT, DATA_OUT = (f"1438780{number}-130c-49e7-b877-2881c89cb258" for number in (1, 2, 3))

GET_STATUS, START_SCAN, STOP_SCAN, SET_CONFIG, FORGET_CONFIG = range(1, 6)
STATES = ["disconnected", "authentication", "association", "obtaining-ip", "connected", "failed"]
REASONS = ["auth-error", "network-not-found", "timeout", "fail-ip", "fail-conn"]
OPEN, WPA2_PSK, WPA3_PSK = 0, 3, 6

Value = int | bytes
Fields = dict[int, list[Value]]


def varint(number: int) -> bytes:
    """A number of protocol buffers."""
    octets = bytearray()
    while True:
        octets.append(number & 0x7F | (0x80 if number > 0x7F else 0))
        number >>= 7
        if not number:
            return bytes(octets)


def message(*fields: tuple[int, Value]) -> bytes:
    """A message with these fields: numbers, and octets with their length."""
    result = b""
    for field, value in fields:
        if isinstance(value, int):
            result += varint(field << 3) + varint(value)
        else:
            result += varint(field << 3 | 2) + varint(len(value)) + value
    return result


def parse(octets: bytes) -> Fields:
    """The fields of a message, each with its values in their order. Raises ValueError for other octets."""
    fields: Fields = {}
    position = 0

    def number() -> int:
        nonlocal position
        value, shift = 0, 0
        while True:
            octet = octets[position]
            position += 1
            value |= (octet & 0x7F) << shift
            shift += 7
            if octet < 0x80:
                return value

    while position < len(octets):
        key = number()
        if key & 7 == 0:
            fields.setdefault(key >> 3, []).append(number())
        elif key & 7 == 2:
            count = number()
            fields.setdefault(key >> 3, []).append(octets[position : position + count])
            position += count
        else:
            raise ValueError(f"wire type {key & 7} in {octets.hex()}")
    return fields


def set_config(ssid: bytes, bssid: bytes, channel: int, auth: int, passphrase: bytes) -> bytes:
    """SET_CONFIG, as an app that has the network from a scan sends it."""
    network = message((1, ssid), (2, bssid), (3, 1), (4, channel), (5, auth))
    return message((1, SET_CONFIG), (11, message((1, network), (2, passphrase), (3, 0))))


def state(result: Fields) -> str | None:
    """The state of a Result, with the reason of a failure; None for one without."""
    if 2 not in result:
        return None
    name = STATES[int(result[2][0])]
    return f"{name} {REASONS[int(result[3][0])]}" if 3 in result else name
