# SPDX-License-Identifier: Apache-2.0
"""An authority of a test's own, and certificates of it."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)
LIFE = 100 * DAY


@dataclass(frozen=True)
class Identity:
    """The files of a certificate and its key."""

    certificate: Path
    key: Path


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path.touch(0o600)
    path.write_bytes(key.private_bytes(encoding, form, serialization.NoEncryption()))


class Authority:
    """Signs certificates; its own is `file`."""

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self.file = directory / f"{name}.pem"
        basic = x509.BasicConstraints(ca=True, path_length=0)
        built = self._builder(self._name, self._key.public_key()).add_extension(basic, critical=True)
        self._write(self.file, built)

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key)
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(now - DAY).not_valid_after(now + LIFE)

    def _write(self, path: Path, builder: x509.CertificateBuilder) -> None:
        path.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        name: str,
        *,
        days: int = 0,
        address: str | None = None,
        life: datetime.timedelta = LIFE,
        directory: Path | None = None,
        is_common_name_only: bool = False,
    ) -> Identity:
        """A certificate for this name, and this address if one is given, valid until `life` from now, or for two days
        around now + `days`. With `is_common_name_only` it has no subject alternative name."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(_name(name), key.public_key())
        names: list[x509.GeneralName] = [x509.DNSName(name)]
        if address:
            names.append(x509.IPAddress(ipaddress.ip_address(address)))
        if not is_common_name_only:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder._not_valid_after = (datetime.datetime.now(datetime.UTC) + life).replace(tzinfo=None)
        if days:
            now = datetime.datetime.now(datetime.UTC) + days * DAY
            builder._not_valid_before = (now - DAY).replace(tzinfo=None)
            builder._not_valid_after = (now + DAY).replace(tzinfo=None)
        place = directory or self._directory
        identity = Identity(place / f"{name}{days or ''}.pem", place / f"{name}{days or ''}-key.pem")
        _write_key(identity.key, key)
        self._write(identity.certificate, builder)
        return identity
