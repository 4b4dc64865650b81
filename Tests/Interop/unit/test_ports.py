# SPDX-License-Identifier: Apache-2.0
"""Ports of servers are not those that the kernel gives to clients, and are not given again at once."""

import socket
from pathlib import Path

from rig.ports import PORTS_OF_A_WORKER, free_port


def test_ports_are_below_the_range_of_clients() -> None:
    first, _ = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    ports = [free_port() for _ in range(50)]
    assert len(set(ports)) == 50
    assert min(ports) > 1024
    assert max(ports) < first


def test_a_port_in_use_is_not_given() -> None:
    # As many as a worker has: its turn comes again.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("", free_port()))
        assert other.getsockname()[1] not in {free_port() for _ in range(PORTS_OF_A_WORKER)}
