# SPDX-License-Identifier: Apache-2.0
"""Fixtures of emulated devices: `readerlab` processes on a virtual air, and a phone to script."""

from pytest_readerlab.device import CommandRefused, Device, Finding
from pytest_readerlab.phone import Link, LinkEnded, Phone
from pytest_readerlab.program import ProgramEnded
from pytest_readerlab.setup import Setup, faults

__all__ = ["CommandRefused", "Device", "Finding", "Link", "LinkEnded", "Phone", "ProgramEnded", "Setup", "faults"]
