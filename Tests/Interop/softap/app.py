# SPDX-License-Identifier: Apache-2.0
"""The two stock apps' ways through the provisioning, and single requests.

    python -m softap.app ios|android ADDRESS PORT CERTIFICATE SSID PASSPHRASE

goes the whole way and prints what came of it as JSON."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import sys
from dataclasses import dataclass
from pathlib import Path

from softap.messages import Record, scan_results, wifi_config

IOS_SECONDS = 15.0
ANDROID_SECONDS = 10.0
NAME = "wifiprov.local"
PROTOBUF = "application/x-protobuf"


def trust(certificate: Path, *, name: bool) -> ssl.SSLContext:
    """Common to both apps: one certificate is the only anchor; only the app for Android checks the name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile=str(certificate))
    context.check_hostname = name
    return context


class Connection(http.client.HTTPSConnection):
    """To an address, with the name of another in TLS, as an app does that resolves names."""

    def __init__(self, address: str, port: int, context: ssl.SSLContext, seconds: float, name: str | None) -> None:
        super().__init__(name or address, port, context=context, timeout=seconds)
        self._address = address
        self._name = name
        self._tls = context

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self._name or self._address)


@dataclass(frozen=True)
class Answer:
    """The response to a request."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    closed: bool
    """Whether the device closed the connection after it."""


class App:
    """An app connected to a device. Each request has its own connection."""

    def __init__(self, address: str, port: int, certificate: Path, *, android: bool = False) -> None:
        self.address = address
        self.port = port
        self._context = trust(certificate, name=android)
        self._name = NAME if android else None
        self._seconds = ANDROID_SECONDS if android else IOS_SECONDS
        self._android = android

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Sends one request. Raises the errors of http.client: RemoteDisconnected if there is no response."""
        connection = Connection(self.address, self.port, self._context, self._seconds, self._name)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            stream = connection.sock
            response = connection.getresponse()
            octets = response.read()
            closed = False
            if stream is not None and response.will_close is False:
                stream.settimeout(0.5)
                with contextlib.suppress(TimeoutError, OSError):
                    closed = stream.recv(1) == b""
            return Answer(response.status, response.getheaders(), octets, closed or response.will_close)

    def networks(self) -> list[Record]:
        """The list. Raises RuntimeError for any other answer than 200."""
        headers = {"Content-Type": PROTOBUF} if self._android else {}
        answer = self.ask("GET", "/prov/networks", **headers)
        if answer.status != 200:
            raise RuntimeError(f"GET /prov/networks: {answer.status}")
        return scan_results(answer.body)

    def configure(self, record: Record, passphrase: bytes) -> int:
        """The number that it is answered with. The passphrase exists even if it is empty."""
        body = wifi_config(record.info, passphrase)
        return self.ask("POST", "/prov/configure", body, **{"Content-Type": PROTOBUF}).status

    def provision(self, ssid: bytes, passphrase: bytes) -> int:
        """The list, the choice, the configuration."""
        record = next(record for record in self.networks() if record.ssid == ssid)
        return self.configure(record, passphrase)


def main() -> None:
    kind, address, port, certificate, ssid, passphrase = sys.argv[1:]
    app = App(address, int(port), Path(certificate), android=kind == "android")
    names = [record.ssid.decode() for record in app.networks()]
    print(json.dumps({"networks": names, "status": app.provision(ssid.encode(), passphrase.encode())}))


if __name__ == "__main__":
    main()
