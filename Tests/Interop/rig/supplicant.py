# SPDX-License-Identifier: Apache-2.0
"""A stand-in for wpa_supplicant at its control socket, with one access point and no radio: the real one needs a Wi-Fi
adapter, which the kernel tests have (Tests/Kernel/wifi)."""

from __future__ import annotations

import asyncio
import hashlib
import socket
from pathlib import Path

BSSID, ADDRESS, FREQUENCY = "02:00:00:00:00:00", "02:00:00:00:01:00", 2437
ASSOCIATION_SECONDS = 0.02


class Supplicant:
    """`with Supplicant(path, "Home", "open sesame") as supplicant:`, in a running loop."""

    def __init__(self, path: Path, ssid: str, passphrase: str) -> None:
        self.path, self._ssid = path, ssid
        key = hashlib.pbkdf2_hmac("sha1", passphrase.encode(), ssid.encode(), 4096, 32).hex()
        self._secrets = {key, f'"{passphrase}"'}
        self._networks: dict[int, dict[str, str]] = {}
        self._current: int | None = None
        self._next = 0
        self._peer = ""
        self.saved: list[str] = []
        self.commands: list[str] = []

    def __enter__(self) -> Supplicant:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(str(self.path))
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._read)
        return self

    def __exit__(self, *_) -> None:
        self._loop.remove_reader(self._socket)
        self._socket.close()
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        octets, self._peer = self._socket.recvfrom(4096)
        command = octets.decode()
        self.commands.append(command)
        self._send(self._answer(*command.split(" ", 1)))

    def _send(self, text: str) -> None:
        if self._peer:
            self._socket.sendto(text.encode(), self._peer)

    def _tell(self, *events: str) -> None:
        for event in events:
            self._send("<3>" + event)

    def _answer(self, name: str, rest: str = "") -> str:
        match name:
            case "GET_CAPABILITY":
                return "NONE WPA-PSK SAE" if rest == "key_mgmt" else "Mode[G] Channels:\n 6 = 2437 MHz\n"
            case "LIST_NETWORKS":
                rows = [
                    f"{number}\t{bytes.fromhex(network['ssid']).decode()}\tany\t"
                    + ("[CURRENT]\n" if number == self._current else "\n")
                    for number, network in self._networks.items()
                ]
                return "network id / ssid / bssid / flags\n" + "".join(rows)
            case "STATUS":
                return self._status()
            case "SIGNAL_POLL":
                return f"RSSI=-30\nFREQUENCY={FREQUENCY}\n" if self._current is not None else "FAIL\n"
            case "SCAN":
                self._loop.call_later(
                    ASSOCIATION_SECONDS, self._tell, "CTRL-EVENT-SCAN-STARTED ", "CTRL-EVENT-SCAN-RESULTS "
                )
            case "BSS":
                return self._results() if rest.startswith("RANGE=0-") else ""
            case "ADD_NETWORK":
                self._networks[self._next] = {}
                self._next += 1
                return f"{self._next - 1}\n"
            case "SET_NETWORK":
                number, key, value = rest.split(" ", 2)
                self._networks[int(number)][key] = value
            case "GET_NETWORK":
                return "WPA-PSK"
            case "SELECT_NETWORK":
                self._loop.call_later(ASSOCIATION_SECONDS, self._associate, int(rest))
            case "REMOVE_NETWORK":
                self._networks.pop(int(rest), None)
                self._current = None if self._current == int(rest) else self._current
            case "SAVE_CONFIG":
                self.saved = [bytes.fromhex(network["ssid"]).decode() for network in self._networks.values()]
        return "OK\n"

    def _status(self) -> str:
        if self._current is None:
            return f"wpa_state=DISCONNECTED\naddress={ADDRESS}\n"
        return (
            f"bssid={BSSID}\nfreq={FREQUENCY}\nssid={self._ssid}\nid={self._current}\nmode=station\n"
            f"key_mgmt=WPA2-PSK\nwpa_state=COMPLETED\nip_address=192.0.2.7\naddress={ADDRESS}\n"
        )

    def _results(self) -> str:
        return (
            f"id=0\nbssid={BSSID}\nfreq={FREQUENCY}\nlevel=-30\nage=0\nflags=[WPA2-PSK-CCMP][ESS]\n"
            f"ssid={self._ssid}\n####\n"
        )

    def _associate(self, number: int) -> None:
        network = self._networks.get(number, {})
        self._tell(
            f"SME: Trying to authenticate with {BSSID} (SSID='{self._ssid}' freq={FREQUENCY} MHz)",
            f"Trying to associate with {BSSID} (SSID='{self._ssid}' freq={FREQUENCY} MHz)",
            f"Associated with {BSSID}",
        )
        if network.get("psk") in self._secrets and network.get("ssid") == self._ssid.encode().hex():
            self._current = number
            self._tell(f"CTRL-EVENT-CONNECTED - Connection to {BSSID} completed [id={number} id_str=]")
        else:
            self._tell(
                f"CTRL-EVENT-DISCONNECTED bssid={BSSID} reason=15",
                "WPA: 4-Way Handshake failed - pre-shared key may be incorrect",
                f'CTRL-EVENT-SSID-TEMP-DISABLED id={number} ssid="{self._ssid}" auth_failures=1 duration=10 '
                "reason=WRONG_KEY",
            )
