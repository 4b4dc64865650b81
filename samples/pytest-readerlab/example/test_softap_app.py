# SPDX-License-Identifier: Apache-2.0
"""An app that gives a Wi-Fi device its network over HTTPS (docs/emulators/nordic-softap.md)."""

import http.client
import ssl


def request(device, method: str, path: str, body: bytes | None = None) -> http.client.HTTPResponse:
    """One request, as over the device's access point. The certificate of a test device is its own."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection(device.address, timeout=10, context=context)
    connection.request(method, path, body, {"Content-Type": "application/x-protobuf"})
    return connection.getresponse()


def field(number: int, octets: bytes) -> bytes:
    """A length-delimited field of a message."""
    return bytes((number << 3 | 2, len(octets))) + octets


def provision(device, network: bytes, passphrase: bytes) -> int:
    """The app: the status of the configuration."""
    networks = request(device, "GET", "/prov/networks").read()
    # A record (1) begins with the network's WifiInfo (1), which begins with its name (1).
    start = networks.index(field(1, network)) - 2
    wifi = networks[start + 2 : start + 2 + networks[start + 1]]
    return request(device, "POST", "/prov/configure", field(1, wifi) + field(2, passphrase)).status


def test_a_network_is_configured(softap_device):
    assert provision(softap_device, b"Home", b"open sesame") == 200
    softap_device.wait("access-point-down")


def test_wrong_app_that_asks_for_another_path(softap_device):
    assert request(softap_device, "GET", "/prov/scan").status == 404
