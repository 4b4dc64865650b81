# SPDX-License-Identifier: Apache-2.0
"""RootCanal's controller, called through the C functions of the library that the PyPI wheel carries.

Nothing here knows of sockets or of air: HCI packets and link-layer packets go in and come out.
The callbacks only queue, because the library is not re-entrant; `collect` hands the queue over.
"""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

COMMAND, ACL, SCO, EVENT, ISO = 1, 2, 3, 4, 5
"""H4 packet types (Core 5.4, Vol 4, Part A, 2)."""

HCI_RESET = bytes.fromhex("030c00")

_BYTES = ctypes.POINTER(ctypes.c_ubyte)
_HCI_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, _BYTES, ctypes.c_size_t)
_LL_CALLBACK = ctypes.CFUNCTYPE(None, _BYTES, ctypes.c_size_t, ctypes.c_int, ctypes.c_int)


@dataclass(frozen=True)
class HciPacket:
    """A packet for the host: its H4 type and its octets without the type."""

    kind: int
    octets: bytes


@dataclass(frozen=True)
class AirPacket:
    """A link-layer packet for everyone else on the same physical layer (0 = LE, 1 = BR/EDR)."""

    octets: bytes
    phy: int


@cache
def _library() -> ctypes.CDLL:
    found = importlib.util.find_spec("rootcanal")
    if found is None or found.origin is None:
        raise RuntimeError("the package rootcanal is not installed: run script/bootstrap")
    directory = f"{sys.platform}-{platform.machine()}"
    path = Path(found.origin).parent / "bin" / directory / "librootcanal_ffi.so"
    if not path.exists():
        raise RuntimeError(f"rootcanal has no library for {directory} (it has linux-x86_64): run these tests there")
    library = ctypes.CDLL(str(path))
    library.ffi_controller_new.restype = ctypes.c_void_p
    return library


class Controller:
    """One controller. Delete it with `close`, or it stays on the air."""

    def __init__(self, public_address: bytes) -> None:
        """`public_address`: six octets, least significant first."""
        self.public_address = public_address
        self._hci: list[HciPacket] = []
        self._air: list[AirPacket] = []
        # The library keeps bare pointers to these: they must live as long as the controller.
        self._callbacks = (_HCI_CALLBACK(self._on_hci), _LL_CALLBACK(self._on_air))
        self._instance = ctypes.c_void_p(
            _library().ffi_controller_new(ctypes.c_char_p(public_address), *self._callbacks)
        )

    def _on_hci(self, kind: int, data, count: int) -> None:
        self._hci.append(HciPacket(kind, ctypes.string_at(data, count)))

    def _on_air(self, data, count: int, phy: int, _power: int) -> None:
        self._air.append(AirPacket(ctypes.string_at(data, count), phy))

    def receive_hci(self, kind: int, octets: bytes) -> None:
        """A packet from the host."""
        _library().ffi_controller_receive_hci(self._instance, kind, octets, ctypes.c_size_t(len(octets)))

    def receive_air(self, packet: AirPacket, rssi: int) -> None:
        """A packet from the air, heard at `rssi` dBm."""
        _library().ffi_controller_receive_ll(
            self._instance, packet.octets, ctypes.c_size_t(len(packet.octets)), packet.phy, rssi
        )

    def tick(self) -> None:
        """Let due timers run: advertising, supervision, connection events."""
        _library().ffi_controller_tick(self._instance)

    def collect(self) -> tuple[list[HciPacket], list[AirPacket]]:
        """Everything that came out since the last call."""
        out = self._hci, self._air
        self._hci, self._air = [], []
        return out

    def close(self) -> None:
        """Gone: the caller resets first if the peers should learn of it."""
        _library().ffi_controller_delete(self._instance)
