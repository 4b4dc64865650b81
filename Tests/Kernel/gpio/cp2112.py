#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CP2112, a USB chip with eight GPIO lines, behind /dev/uhid: a real gpiochip on a kernel as Debian builds it.

    cp2112.py SOCKET

The kernel's hid-cp2112 driver talks to it by HID reports (Silicon Labs AN495). SOCKET (Unix, datagrams) sets a line's
level from outside: `3 1`. Standard output has the output latch and the direction whenever one changes, in hexadecimal.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys

VENDOR, PRODUCT, USB_BUS = 0x10C4, 0xEA90, 3

# Events of <linux/uhid.h>, and their fields after the type.
CREATE, GET_REPORT, GET_REPORT_REPLY, SET_REPORT, SET_REPORT_REPLY = 11, 9, 10, 13, 14
CREATE_LAYOUT = struct.Struct("<I128s64s64sHHIIII4096s")
READ_OCTETS = 4380

# Reports of the chip (AN495, 2): number and octets after it.
GPIO_CONFIGURATION, GET_GPIO, SET_GPIO, VERSION, SMBUS_CONFIGURATION = 2, 3, 4, 5, 6
SIZES = {GPIO_CONFIGURATION: 4, GET_GPIO: 1, SET_GPIO: 2, VERSION: 2, SMBUS_CONFIGURATION: 13}
PART_NUMBER, DEVICE_VERSION = 0x0C, 1


def descriptor() -> bytes:
    """The HID report descriptor: each report a field of octets."""
    reports = (
        bytes((0x85, number, 0x95, size, 0x75, 8, 0x26, 0xFF, 0, 0x15, 0, 0x09, 1, 0xB1, 2))
        for number, size in SIZES.items()
    )
    return bytes.fromhex("0600ff0901a101") + b"".join(reports) + b"\xc0"


class Chip:
    """The chip's registers, and the levels that come from outside."""

    def __init__(self) -> None:
        self.outputs = self.push_pull = self.special = self.clock = self.latch = self.outside = 0
        self.smbus = struct.pack(">IBBHHBH", 100_000, 2, 0, 0, 0, 0, 0)

    @property
    def levels(self) -> int:
        return (self.latch & self.outputs) | (self.outside & ~self.outputs & 0xFF)

    def report(self, number: int) -> bytes:
        """The response to a read of the driver."""
        values = {
            GPIO_CONFIGURATION: bytes((self.outputs, self.push_pull, self.special, self.clock)),
            GET_GPIO: bytes((self.levels,)),
            VERSION: bytes((PART_NUMBER, DEVICE_VERSION)),
            SMBUS_CONFIGURATION: self.smbus,
        }
        return bytes((number,)) + values.get(number, bytes(60))

    def set(self, report: bytes) -> None:
        """Handles a write of the driver."""
        number, values = report[0], report[1:]
        if number == GPIO_CONFIGURATION:
            self.outputs, self.push_pull, self.special, self.clock = values[:4]
        elif number == SET_GPIO:
            self.latch = (self.latch & ~values[1]) | (values[0] & values[1])
        elif number == SMBUS_CONFIGURATION:
            self.smbus = bytes(values)
        print(f"{self.latch & self.outputs:02x} {self.outputs:02x}", flush=True)


def main() -> None:
    chip, wire = Chip(), descriptor()
    device = os.open("/dev/uhid", os.O_RDWR)
    names = (b"CP2112", b"simulated", b"0001")
    os.write(device, CREATE_LAYOUT.pack(CREATE, *names, len(wire), USB_BUS, VENDOR, PRODUCT, 0x100, 0, wire))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    control.bind(sys.argv[1])
    while True:
        ready, _, _ = select.select([device, control], [], [])
        if control in ready:
            line, level = map(int, control.recv(64).split())
            chip.outside = (chip.outside & ~(1 << line)) | level << line
        if device not in ready:
            continue
        octets = os.read(device, READ_OCTETS)
        (kind,) = struct.unpack_from("<I", octets)
        if kind == GET_REPORT:
            request, number, _ = struct.unpack_from("<IBB", octets, 4)
            report = chip.report(number)
            os.write(device, struct.pack("<IIHH", GET_REPORT_REPLY, request, 0, len(report)) + report)
        elif kind == SET_REPORT:
            request, _, _, size = struct.unpack_from("<IBBH", octets, 4)
            chip.set(octets[12 : 12 + size])
            os.write(device, struct.pack("<IIH", SET_REPORT_REPLY, request, 0))


main()
