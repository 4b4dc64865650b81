# SPDX-License-Identifier: Apache-2.0
"""Faults of Aliro phones by name."""

from __future__ import annotations

from collections.abc import Callable

from contactless.aliro_transport import Fault
from contactless.aliro_wire import tlv


def flip(at: int) -> Callable[[bytes], bytes]:
    """Changes a bit."""

    def alter(data: bytes) -> bytes:
        at_end = at % len(data)
        return data[:at_end] + bytes((data[at_end] ^ 1,)) + data[at_end + 1 :]

    return alter


def compress(tag: int) -> Callable[[bytes], bytes]:
    """Replaces the point that begins the data by its compressed form."""
    return lambda data: tlv(tag, bytes((2 + (data[66] & 1),)) + data[3:35]) + data[67:]


def drop(first: int, last: int) -> Callable[[bytes], bytes]:
    """Omits octets."""
    return lambda data: data[:first] + data[last:]


# AUTH0's response is 86 41 and the point, then maybe 9D 40; AUTH1's is 5A 41 and the point, 9E 40 and the signature,
# 5E 02 and the signals.
FAULTS = {
    "cut-select": Fault("select", data=lambda data: data[:-3]),
    "long-select": Fault("select", data=lambda data: data[:1] + bytes((data[1] + 9,)) + data[2:]),
    "other-name": Fault("select", data=flip(4)),
    "cut-auth0": Fault("auth0", data=lambda data: data[:40]),
    "long-auth0": Fault("auth0", data=lambda data: b"\x86\x82\xff\xff" + data[2:]),
    "off-curve": Fault("auth0", data=flip(66)),
    "compressed-auth0": Fault("auth0", data=compress(0x86)),
    "unasked-cryptogram": Fault("auth0", data=lambda data: data[:67] + (b"" if data[67:] else tlv(0x9D, bytes(64)))),
    "wrong-signature": Fault("auth1", plaintext=flip(100)),
    "no-signature": Fault("auth1", plaintext=drop(67, 133)),
    "no-signals": Fault("auth1", plaintext=drop(133, 137)),
    "key-slot": Fault("auth1", plaintext=lambda data: tlv(0x4E, bytes(8)) + data[67:]),
    "compressed-auth1": Fault("auth1", plaintext=compress(0x5A)),
    "cut-auth1": Fault("auth1", plaintext=lambda data: data[:70]),
    "long-auth1": Fault("auth1", plaintext=lambda data: data + b"\x91\x7f"),
    "changed-ciphertext": Fault("auth1", data=flip(10)),
    "changed-tag": Fault("auth1", data=flip(-1)),
    "empty-auth1": Fault("auth1", data=lambda _: b""),
    "endless-auth0": Fault("auth0", is_endless=True),
    "endless-auth1": Fault("auth1", is_endless=True),
    "word-select": Fault("select", word=0x6985),
    "word-auth0": Fault("auth0", word=0x6A80),
    "word-auth1": Fault("auth1", word=0x6982),
    **{f"leaves-{stage}": Fault(stage, is_silent=True) for stage in ("select", "auth0", "auth1")},
}
"""Faults of a listed phone, which opens nothing."""

END_FAULTS = {
    "word-exchange": Fault("exchange", word=0x6900),
    "leaves-exchange": Fault("exchange", is_silent=True),
    "wrong-end": Fault("exchange", plaintext=lambda _: bytes.fromhex("0002ffff")),
}
"""Faults after the decision: the door has opened."""
