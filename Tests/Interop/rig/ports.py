# SPDX-License-Identifier: Apache-2.0
"""Free ports for servers that need to know their port before they start.

A port that the kernel chose and a test released can go to another process before the server binds it: to a client's
end of a connection, or to the test beside. These ports are below the kernel's range for clients, and each worker of
a run has its own.
"""

import itertools
import os
import random
import re
import socket

FIRST_PORT = 10_000
# Below Linux' default of net.ipv4.ip_local_port_range, 32768.
PORTS_OF_A_WORKER = 700
WORKERS = 32


def _worker() -> int:
    """The number of this worker of pytest-xdist; a random one outside of it."""
    number = re.fullmatch("gw([0-9]+)", os.environ.get("PYTEST_XDIST_WORKER", ""))
    return int(number[1]) % WORKERS if number else random.randrange(WORKERS)


def _ports():
    first = FIRST_PORT + _worker() * PORTS_OF_A_WORKER
    ports = list(range(first, first + PORTS_OF_A_WORKER))
    # Another run on this machine has the same ports.
    random.shuffle(ports)
    return itertools.cycle(ports)


_next = _ports()


def free_port() -> int:
    """A port of the loopback without a listener of TCP or a socket of UDP. Not given again soon."""
    for port in itertools.islice(_next, PORTS_OF_A_WORKER):
        if _is_free(port, socket.SOCK_STREAM) and _is_free(port, socket.SOCK_DGRAM):
            return port
    raise OSError("no port is free")


def _is_free(port: int, kind: socket.SocketKind) -> bool:
    with socket.socket(socket.AF_INET, kind) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
