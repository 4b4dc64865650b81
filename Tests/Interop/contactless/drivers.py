# SPDX-License-Identifier: Apache-2.0
"""Drivers that are the phone: `python -m contactless.drivers libnfc|nfcpy SERIAL-LINE`, one command per line of input.

Both leave everything to their own code: libnfc to the chip's protocol, nfcpy to its own blocks (ISO/IEC 14443-4).
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable

RESPONSE_SECONDS = 1.0
"""For a command, as a phone has it."""
CHIP_MILLISECONDS = 5000
"""The least time of nfcpy for octets of its chip. Its own is 100 ms for an acknowledgement, which a chip sends within
15; a simulated one is a process, and is later on a busy machine. Each command has a response: nothing waits in vain."""


class Failed(Exception):
    """The driver reported a failure."""


class Libnfc:
    """libnfc's own initiator."""

    NAME_SIZE = 1024
    ISO14443A, BAUD_106 = 1, 1
    INFINITE_SELECT = 7

    class Modulation(ctypes.Structure):
        """nfc_modulation."""

        _fields_ = (("nmt", ctypes.c_int), ("nbr", ctypes.c_int))

    def __init__(self, path: str) -> None:
        os.environ.setdefault("LIBNFC_LOG_LEVEL", "0")
        self._library = ctypes.CDLL("libnfc.so.6")
        self._library.nfc_open.restype = ctypes.c_void_p
        context = ctypes.c_void_p()
        self._library.nfc_init(ctypes.byref(context))
        name = ctypes.create_string_buffer(f"pn532_uart:{path}".encode(), self.NAME_SIZE)
        self._device = ctypes.c_void_p(self._library.nfc_open(context, name))
        if not self._device:
            raise Failed("nfc_open")
        self._check(self._library.nfc_initiator_init(self._device))
        self._check(self._library.nfc_device_set_property_bool(self._device, self.INFINITE_SELECT, False))

    def _check(self, code: int) -> int:
        if code < 0:
            raise Failed(f"libnfc {code}")
        return code

    def activate(self) -> str:
        """Activates a card; returns the card's description of itself. Raises Failed without one."""
        target = ctypes.create_string_buffer(2048)
        modulation = self.Modulation(self.ISO14443A, self.BAUD_106)
        found = self._check(
            self._library.nfc_initiator_select_passive_target(self._device, modulation, None, 0, target)
        )
        if not found:
            raise Failed("no card")
        return target.raw[:32].hex()

    def send(self, command: bytes) -> bytes:
        """The response to a command APDU."""
        response = ctypes.create_string_buffer(512)
        count = self._check(
            self._library.nfc_initiator_transceive_bytes(
                self._device, command, len(command), response, len(response), int(RESPONSE_SECONDS * 1000)
            )
        )
        return response.raw[:count]

    def block(self, block: bytes) -> bytes:
        """libnfc leaves the blocks to the chip."""
        raise Failed("libnfc sends no blocks")

    def release(self) -> None:
        """Lets go."""
        self._check(self._library.nfc_initiator_deselect_target(self._device))

    def records(self) -> list[dict[str, str]]:
        """There is no reader of NDEF in libnfc."""
        raise Failed("libnfc reads no NDEF")


class Nfcpy:
    """nfcpy."""

    def __init__(self, path: str) -> None:
        import nfc
        import nfc.clf.pn532
        import nfc.clf.transport

        class Line(nfc.clf.transport.TTY):
            """A line whose other end may be late."""

            def read(self, timeout: float) -> bytearray:
                return super().read(max(timeout, CHIP_MILLISECONDS))

        self._nfc = nfc
        self._front_end = nfc.ContactlessFrontend()
        # By name it takes lines directly in /dev only.
        self._front_end.device = nfc.clf.pn532.init(Line(path))
        self._front_end.device._path = path
        self._tag = None

    def activate(self) -> str:
        """Activates a card; returns the card's description of itself. Raises Failed without one."""
        target = self._front_end.sense(self._nfc.clf.RemoteTarget("106A"))
        if target is None:
            raise Failed("no card")
        self._tag = self._nfc.tag.activate(self._front_end, target)
        if self._tag is None:
            raise Failed("not activated")
        return str(self._tag)

    def send(self, command: bytes) -> bytes:
        """The response to a command APDU."""
        try:
            return bytes(self._tag.transceive(command, RESPONSE_SECONDS))
        except (self._nfc.tag.TagCommandError, self._nfc.clf.CommunicationError) as error:
            raise Failed(f"nfcpy {error!r}") from error

    def block(self, block: bytes) -> bytes:
        """The response to a raw block of ISO/IEC 14443-4."""
        try:
            return bytes(self._front_end.exchange(block, RESPONSE_SECONDS))
        except self._nfc.clf.CommunicationError as error:
            raise Failed(f"nfcpy {error!r}") from error

    def release(self) -> None:
        """Leaves: the field goes off."""
        self._front_end.device.mute()
        self._tag = None

    def records(self) -> list[dict[str, str]]:
        """The NDEF message."""
        message = self._tag.ndef
        if message is None:
            raise Failed("no NDEF message")
        return [
            {"type": record.type, "name": record.name, "uri": getattr(record, "iri", ""), "data": record.data.hex()}
            for record in message.records
        ]


DRIVERS = {"libnfc": Libnfc, "nfcpy": Nfcpy}


def answer(driver: Libnfc | Nfcpy, words: list[str]) -> str:
    """The result of one line."""
    commands: dict[str, Callable[[], object]] = {
        "activate": driver.activate,
        "send": lambda: driver.send(bytes.fromhex(words[1])).hex(),
        "block": lambda: driver.block(bytes.fromhex(words[1])).hex(),
        "release": driver.release,
        "records": lambda: json.dumps(driver.records()),
    }
    try:
        return f"ok {commands[words[0]]() or ''}"
    except (Failed, OSError) as error:
        return f"error {error}"


def main() -> None:
    driver = DRIVERS[sys.argv[1]](sys.argv[2])
    print("ready", flush=True)
    for line in sys.stdin:
        print(answer(driver, line.split()).strip(), flush=True)


if __name__ == "__main__":
    main()
