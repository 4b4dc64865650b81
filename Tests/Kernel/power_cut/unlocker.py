#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the door of a running reader again and again: unlocker.py SOCKET.

Prints the number of each event that the reader says is stored. By itself, with nothing but the control socket."""

import itertools
import json
import socket
import sys
import time


def connected(path: str) -> socket.socket:
    while True:
        try:
            control = socket.socket(socket.AF_UNIX)
            control.connect(path)
            return control
        except OSError:
            control.close()
            time.sleep(0.02)


def main() -> None:
    control = connected(sys.argv[1])
    control.sendall(b'{"subscribe":"events"}\n')
    requests = itertools.count(1)
    for line in control.makefile():
        message = json.loads(line)
        if "event" in message:
            print(message["event"]["sequence"], flush=True)
        else:
            control.sendall(b'{"unlock":"pulse","id":"%d"}\n' % next(requests))


main()
