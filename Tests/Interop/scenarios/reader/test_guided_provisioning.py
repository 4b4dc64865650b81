# SPDX-License-Identifier: Apache-2.0
"""`readerd provision` on a terminal and without options: it asks, shows what it will do, and does it after a yes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from rig import terminal
from rig.reader import binary
from rig.terminal import END_OF_INPUT, SECONDS

KEY, SITE, DOOR, IDENTIFIER, CONFIRMATION = (
    "PEM [add it later]: ",
    "site, 1 to 65535 [1]: ",
    "door, 1 to 65535 [1]: ",
    "visible to all in range [generated]: ",
    "y or n [n]: ",
)

pytestmark = pytest.mark.seconds(90)


async def converse(state: Path, *exchanges: tuple[str, str]) -> tuple[int, str]:
    """Its exit status, and all that was shown."""
    return await terminal.converse([str(binary()), "provision", "--state", str(state)], *exchanges)


def keys(directory: Path) -> tuple[Path, Path]:
    """The files of a backend's key: the public half and the private one."""
    key = ec.generate_private_key(ec.SECP256R1())
    public, private = directory / "backend.pem", directory / "private.pem"
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return public, private


async def test_a_whole_identity(directory: Path) -> None:
    """Wrong answers are asked for again, a private key among them; nothing is made before the yes."""
    state = directory / "state"
    public, private = keys(directory)
    code, shown = await converse(
        state,
        (KEY, str(directory / "none.pem")), (KEY, str(private)), (KEY, str(public)),
        (SITE, "0"), (SITE, "2"), (DOOR, "seven"), (DOOR, "7"), (IDENTIFIER, "short"), (IDENTIFIER, "Door0001"),
        (CONFIRMATION, "y"),
    )  # fmt: skip
    assert code == 0, shown
    assert "no such file" in shown and "contains a private key" in shown
    before, _, after = shown.partition(CONFIRMATION)
    assert "device id Door0001, site 2, door 7" in before and f"a new identity in {state}" in before
    assert "tokens under the signature key of that file" in before
    assert "-----BEGIN PUBLIC KEY-----" in after and "PRIVATE KEY" not in after
    identity = state / "identity"
    assert (identity / "device-id").read_text() == "Door0001\n"
    assert (identity / "door").read_text() == "site-id 2\ndoor-id 7\n"
    assert (identity / "signature-key.pem").read_bytes() == public.read_bytes()


async def test_the_key_later(directory: Path) -> None:
    """The second time it asks for the key alone; a third time there is nothing to do, and it says what there is."""
    state = directory / "state"
    public, _ = keys(directory)
    code, shown = await converse(state, (KEY, ""), (SITE, ""), (DOOR, ""), (IDENTIFIER, ""), (CONFIRMATION, "yes"))
    assert code == 0 and "no signature key yet" in shown, shown
    identifier = (state / "identity/device-id").read_text().strip()
    code, shown = await converse(state, (KEY, str(public)), (CONFIRMATION, "y"))
    assert code == 0 and f"as the signature key of {identifier}" in shown, shown
    assert (state / "identity/signature-key.pem").read_bytes() == public.read_bytes()
    code, shown = await converse(state, (KEY, str(public)))
    assert code == 1 and f"has an identity, {identifier}" in shown, shown


@pytest.mark.parametrize("last", ["n", "", "Y?", END_OF_INPUT])
async def test_nothing_without_a_yes(directory: Path, last: str) -> None:
    state = directory / "state"
    code, shown = await converse(state, (KEY, ""), (SITE, ""), (DOOR, ""), (IDENTIFIER, ""), (CONFIRMATION, last))
    assert code == 1 and "nothing has changed" in shown, shown
    assert not (state / "identity").exists()


async def test_without_a_terminal_it_asks_nothing(directory: Path) -> None:
    """As scripts use it."""
    command = [binary(), "provision", "--state", directory / "state"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 0 and "[" not in ended.stdout, ended
    assert (directory / "state/identity/device-id").exists()
