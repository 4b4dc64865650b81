# SPDX-License-Identifier: Apache-2.0
"""The knowledge of zeroconf at each time about a type's services: their addresses, by announcements, answers,
withdrawals and expiry. Prints each change as a line, until SIGTERM.

python -m softap.view TYPE INTERFACE [ADDRESS]   over IPv6 of that interface, and over IPv4 from that address"""

from __future__ import annotations

import json
import signal
import socket
import sys

from zeroconf import IPVersion, ServiceBrowser, ServiceInfo, Zeroconf

LOOK_SECONDS = 0.1


class Names:
    """The services of the type. Its method is a browser's handler."""

    def __init__(self) -> None:
        self.present: set[str] = set()

    def change(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: object) -> None:
        """Called in zeroconf's thread."""
        if getattr(state_change, "name", "") == "Removed":
            self.present.discard(name)
        else:
            self.present.add(name)


def main() -> None:
    kind, interface, *addresses = sys.argv[1:]
    # Before there are threads, so that only this one waits for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    version = IPVersion.All if addresses else IPVersion.V6Only
    zeroconf = Zeroconf(interfaces=[*addresses, socket.if_nametoindex(interface)], ip_version=version)
    names = Names()
    browser = ServiceBrowser(zeroconf, kind, handlers=[names.change])
    before = None
    while signal.sigtimedwait([signal.SIGTERM], LOOK_SECONDS) is None:
        seen = []
        for name in sorted(names.present):
            info = ServiceInfo(kind, name)
            if not info.load_from_cache(zeroconf):
                info.request(zeroconf, 1000)
            seen.append(sorted(address.split("%")[0] for address in info.parsed_addresses(IPVersion.All)))
        if seen != before:
            print(json.dumps({"event": "seen", "services": seen}), flush=True)
            before = seen
    browser.cancel()
    zeroconf.close()


if __name__ == "__main__":
    main()
