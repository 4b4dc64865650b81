# SPDX-License-Identifier: Apache-2.0
"""The controller that start and slots are measured with, octet for octet; no readerd."""

import socket

import pytest

from bench.controller import Gone, QuickController

ENABLE = bytes.fromhex("01 39 20 0a 01 02 01 00 00 00 03 00 00 00".replace(" ", ""))
DISABLE = bytes.fromhex("01 39 20 02 00 00".replace(" ", ""))
DONE = bytes.fromhex("04 0e 04 01 39 20 00".replace(" ", ""))


@pytest.fixture
def ends():
    host, controller = socket.socketpair()
    host.settimeout(1)
    with host, controller:
        yield host, QuickController(controller)


def test_advertising_is_answered_and_told(ends):
    host, controller = ends
    host.sendall(DISABLE + ENABLE)
    enabled = controller.enabled(True, seconds=1)
    assert enabled.on and enabled.sets == [1, 3]
    assert host.recv(64) == DONE + DONE


def test_what_was_enabled_before_a_phone_went_does_not_count(ends):
    host, controller = ends
    host.sendall(ENABLE)
    controller.serve(0.05)
    went = controller.disconnect(0x40)
    assert host.recv(64)[-7:] == bytes.fromhex("04050400400013")
    with pytest.raises(TimeoutError):
        controller.enabled(True, seconds=0.05)
    host.sendall(ENABLE)
    assert controller.enabled(True, seconds=1).came > went


def test_a_phone_connects_to_a_set(ends):
    host, controller = ends
    controller.connect(0x40, bytes.fromhex("0100000000c0"), 1)
    assert host.recv(64) == bytes.fromhex(
        "043e1f 0a 00 4000 01 01 0100000000c0 000000000000 000000000000 1800 0000 f401 00"
        "043e06 12 00 01 4000 01".replace(" ", "")
    )


def test_a_phone_is_near(ends):
    host, controller = ends
    host.sendall(bytes.fromhex("010514024000"))
    controller.serve(0.05)
    assert host.recv(64) == bytes.fromhex("040e0701051400 4000 e2")


def test_a_host_that_goes_is_told(ends):
    host, controller = ends
    host.close()
    with pytest.raises(Gone):
        controller.enabled(True, seconds=1)
