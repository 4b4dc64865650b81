# SPDX-License-Identifier: Apache-2.0
"""Looks for devices as the stock apps do, `_http._tcp` in `local`, with zeroconf, and prints each change as a line.

python -m softap.browse ADDRESS           until SIGTERM
python -m softap.browse ADDRESS --claim   has the device's name itself, so that the device cannot"""

from __future__ import annotations

import json
import signal
import socket
import sys
import time

from zeroconf import IPVersion, ServiceInfo, ServiceListener, Zeroconf

TYPE = "_http._tcp.local."
NAME = f"wifiprov.{TYPE}"


def tell(event: str, **more: object) -> None:
    print(json.dumps({"event": event, "at": time.monotonic(), **more}), flush=True)


class Listener(ServiceListener):
    """Prints what it hears."""

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        info = zc.get_service_info(type_, name, timeout=3000)
        if info is None:
            tell("unresolved", name=name)
            return
        text = {key.decode(): value.decode() if value else "" for key, value in info.properties.items()}
        tell(
            "added",
            name=name,
            host=info.server,
            addresses=info.parsed_addresses(IPVersion.All),
            port=info.port,
            text=text,
        )

    def update_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        tell("updated", name=name)

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        tell("removed", name=name)


def main() -> None:
    address = sys.argv[1]
    # Before there are threads, so that only this one waits for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    zeroconf = Zeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
    if "--claim" in sys.argv:
        own = ServiceInfo(TYPE, NAME, addresses=[socket.inet_aton(address)], port=80, server="wifiprov.local.")
        zeroconf.register_service(own)
        tell("claimed")
    else:
        zeroconf.add_service_listener(TYPE, Listener())
        tell("browsing")
    signal.sigwait([signal.SIGTERM])
    zeroconf.close()


if __name__ == "__main__":
    main()
