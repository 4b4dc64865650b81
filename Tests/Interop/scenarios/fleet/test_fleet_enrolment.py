# SPDX-License-Identifier: Apache-2.0
"""A reader's link gets its certificate: key and request on the device, signed by the site's authority."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from fleet.broker import Broker
from fleet.certificates import Identity
from fleet.door import DEVICE, Door, program
from rig.waiting import until

NAME = "demo"
"""The reader of the demo site."""

pytestmark = pytest.mark.seconds(120)


async def run(*words: str, code: int = 0) -> str:
    """A command that ends with this exit code; its output."""
    process = await asyncio.create_subprocess_exec(
        *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == code, output.decode()
    return output.decode()


class Desk:
    """The authority and the site in a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.authority = directory / "ca" / "ca.pem"
        self.site = directory / "site.json"

    async def open(self) -> Desk:
        """Makes both."""
        await run(program("readerlab"), "fleet", "ca", "init", "--directory", str(self.authority.parent))
        await run(program("readerlab"), "credentials", "site", "demo", "--site", str(self.site))
        return self

    async def enrol(self, request: Path, certificate: Path, code: int = 0) -> str:
        """`readerlab fleet enrol`."""
        words = ["--csr", str(request), "--out", str(certificate), "--site", str(self.site)]
        words += ["--directory", str(self.authority.parent)]
        return await run(program("readerlab"), "fleet", "enrol", NAME, *words, code=code)


async def request(directory: Path, device: str = DEVICE) -> tuple[Identity, Path]:
    """`readerd-link enrol`: the files of the identity, of which the certificate is missing, and the request."""
    identity = Identity(directory / "reader.pem", directory / "reader-key.pem")
    made = directory / "reader.csr"
    words = ["--device", device, "--key", str(identity.key), "--csr", str(made)]
    await run(program("readerd-link"), "enrol", *words)
    return identity, made


async def test_openssl_takes_the_request_and_the_chain(directory: Path) -> None:
    desk = await Desk(directory).open()
    # The device id is its identifier in characters.
    identity, made = await request(directory, bytes.fromhex(DEVICE).decode())
    assert identity.key.stat().st_mode & 0o777 == 0o600
    assert f"CN = {DEVICE}" in await run("openssl", "req", "-in", str(made), "-verify", "-noout", "-subject")
    await desk.enrol(made, identity.certificate)
    await run(
        *("openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile"),
        *(str(desk.authority), str(identity.certificate)),
    )
    certificate = x509.load_pem_x509_certificate(identity.certificate.read_bytes())
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert (certificate.not_valid_after_utc - certificate.not_valid_before_utc).days == 90
    # It is no server's, and no authority's.
    await run(
        *("openssl", "verify", "-purpose", "sslserver", "-CAfile", str(desk.authority), str(identity.certificate)),
        code=2,
    )


async def test_the_broker_takes_the_certificate_as_the_readers_identity(directory: Path) -> None:
    desk = await Desk(directory).open()
    identity, made = await request(directory)
    await desk.enrol(made, identity.certificate)
    broker = Broker(directory)
    broker.trust(desk.authority)
    async with broker, Door(directory / "d") as door:
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, identity)
        await until("the connection", lambda: is_connected(door))
        assert DEVICE in broker.log


async def is_connected(door: Door) -> bool:
    """True while the broker serves the door's link."""
    return (await door.status())["link"]["connected"]


async def test_a_key_or_an_authority_that_is_there_is_left(directory: Path) -> None:
    identity, made = await request(directory)
    before = identity.key.read_bytes()
    words = ["--device", DEVICE, "--key", str(identity.key), "--csr", str(made)]
    assert "there is a key already" in await run(program("readerd-link"), "enrol", *words, code=1)
    assert identity.key.read_bytes() == before
    # A request that would replace a key.
    other = ["--device", DEVICE, "--key", str(directory / "other.pem"), "--csr", str(identity.key)]
    assert "exists, and is not replaced" in await run(program("readerd-link"), "enrol", *other, code=1)
    assert identity.key.read_bytes() == before and not (directory / "other.pem").exists()
    desk = await Desk(directory).open()
    again = await run(program("readerlab"), "fleet", "ca", "init", "--directory", str(desk.authority.parent), code=2)
    assert "there is an authority already" in again


@pytest.mark.parametrize(
    ("key", "subject", "reason"),
    [
        ("prime256v1", "/CN=7761307931597754", "its name is not the reader's"),
        ("prime256v1", f"/O=x/CN={DEVICE}", "its name is not the reader's"),
        ("secp384r1", f"/CN={DEVICE}", "its key is none on P-256"),
    ],
)
async def test_a_request_that_is_not_the_readers_is_refused(
    directory: Path, key: str, subject: str, reason: str
) -> None:
    desk = await Desk(directory).open()
    made = directory / "other.csr"
    await run(
        *("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{key}", "-nodes"),
        *("-keyout", str(directory / "k.pem"), "-subj", subject, "-out", str(made)),
    )
    assert reason in await desk.enrol(made, directory / "out.pem", code=1)
    assert not (directory / "out.pem").exists()


async def test_a_request_that_was_altered_is_refused(directory: Path) -> None:
    desk = await Desk(directory).open()
    _, made = await request(directory)
    parsed = x509.load_pem_x509_csr(made.read_bytes())
    from cryptography.hazmat.primitives.serialization import Encoding

    der = bytearray(parsed.public_bytes(Encoding.DER))
    der[-1] ^= 1
    altered = await asyncio.create_subprocess_exec(
        *("openssl", "req", "-inform", "DER", "-out", str(made)),
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await altered.communicate(bytes(der))
    assert "its signature is not its key's" in await desk.enrol(made, directory / "out.pem", code=1)
