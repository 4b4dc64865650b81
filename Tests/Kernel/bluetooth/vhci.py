# SPDX-License-Identifier: Apache-2.0
"""An adapter of the kernel whose controller is elsewhere: vhci.py HOST:PORT.

Joins /dev/vhci, where the kernel's driver for virtual adapters is, with a controller that speaks H4 there. The adapter
goes when this process does."""

from __future__ import annotations

import os
import select
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Interop"))

from rig.h4 import Framer, frame

CREATE = bytes((0xFF, 0x00))
"""A vendor packet to the driver: one primary controller, please."""
PACKET_OCTETS = 4096


def main() -> None:
    host, _, port = sys.argv[1].rpartition(":")
    controller = socket.create_connection((host, int(port)))
    controller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    adapter = os.open("/dev/vhci", os.O_RDWR)
    os.write(adapter, CREATE)
    framer = Framer()
    while True:
        ready, _, _ = select.select([adapter, controller], [], [])
        if adapter in ready:
            packet = os.read(adapter, PACKET_OCTETS)
            # The driver's answer to CREATE is a vendor packet too.
            if packet[:1] != CREATE[:1]:
                controller.sendall(packet)
        if controller in ready:
            octets = controller.recv(PACKET_OCTETS)
            if not octets:
                return
            for kind, packet in framer.feed(octets):
                os.write(adapter, frame(kind, packet))


main()
