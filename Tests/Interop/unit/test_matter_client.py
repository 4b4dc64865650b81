# SPDX-License-Identifier: Apache-2.0
"""The Python commissioner against the published vectors, without a device."""

from __future__ import annotations

import hmac

import pytest
from cryptography.exceptions import InvalidTag

from matter.client import spake2plus, tlv
from matter.client.certificates import hkdf, signed_part
from matter.client.wire import Header, Message, Session, StatusReport

NODE_CERTIFICATE = (
    "1530010101240201370324130218260480228127260580254d3a3706241501251101101824070124080130094104a84bc329dac0"
    "d1c83e15b8e02c0d144e709a5d49602993616bc358a2c2a3097c319f84ed6c65b16803b9c7506453dee3787758e8774f5a88e10d"
    "427b718a64d7370a350128011824020136030402040118300414bdef56dbd4facf61d2e9c6d22c123654f4d72576300514db53e1"
    "21fc0931819266d716bad3345acbc096b218300b40afee077b017b42853a8fb23fb7ec767e911667b661de2756bf468dd480990f"
    "751bcb30408fae02e82ec68343dc1843760a764d5ddcb1302b4caa5cb50d5efc5918"
)
SIGNED_PART = (
    "3082017fa003020102020101300a06082a8648ce3d04030230223120301e060a2b0601040182a27c01030c103030303030303030"
    "3030303030303032301e170d3231303130313030303030305a170d3330313233303030303030305a30443120301e060a2b060104"
    "0182a27c01050c10303030303030303030303030303030313120301e060a2b0601040182a27c01010c1030303030303030303030"
    "3030313030313059301306072a8648ce3d020106082a8648ce3d03010703420004a84bc329dac0d1c83e15b8e02c0d144e709a5d"
    "49602993616bc358a2c2a3097c319f84ed6c65b16803b9c7506453dee3787758e8774f5a88e10d427b718a64d7a3818330818030"
    "0c0603551d130101ff04023000300e0603551d0f0101ff04040302078030200603551d250101ff0416301406082b060105050703"
    "0206082b06010505070301301d0603551d0e04160414bdef56dbd4facf61d2e9c6d22c123654f4d72576301f0603551d23041830"
    "168014db53e121fc0931819266d716bad3345acbc096b2"
)
ROOT_KEY = (
    "0448053ce44a36373c89d433adcfe6655216c8d8a83c9f41b64cf82f50f35d17b08d8de47621e111d38e5dd8b6cf79dd5fc8a50d"
    "4ff1219a4059d61c444448c78e"
)
EPOCH_KEY, COMPRESSED, GROUP_KEY = (
    "74656d706f726172792069706b203031",
    "9f6f0f88736c279c",
    "ce3dcdfbf839c437f1db66376b69cd6f",
)
SIGMA1 = (
    "1530012042c1a69b4d959b74c83652ef5148567051709322726946dc22cf205a6cddf91825021933300320e8988397e2d88073ee"
    "855615fdbe16490722dcef1139318d16d8c990ea66fe31300441045c4995572f00cff99d56557d5efc8dc886dc1f71606b4e094a"
    "6d52c5693040ec09381cec48d32d0ec34bb86cdca80fbbccfb7f276c77356be809ed9b1b6565d535052501f40125022c012503a0"
    "0f24041324050c2606000204012407011818"
)
KEY = "3988a2f26b8b3d1dd6c0ab7355ce9568"
DATAGRAM = (
    "00020000a088b20c7eac64a80f9ab0e45dfe02b02e357373f3e2d13d2f10e3684f5c206e1cfb6fdd8bf84a05a03b910af9d09929"
    "d5ef3c13f85c65"
)
CLEAR = "0508716901001528002801360215370024000024013024020418350118181824ff0c18"
VERIFIER = (
    "b96170aae803346884724fe9a3b287c30330c2a660375d17bb205a8cf1aecb350457f8ab79ee253ab6a8e46bb09e543ae422736d"
    "e501e3db37d441fe344920d09548e4c18240630c4ff4913c53513839b7c07fcc0627a1b8573a149fcd1fa466cf"
)


def test_tlv() -> None:
    for octets, value in (
        ("1524000024ff0c18", {0: 0, 255: 12}),
        ("17 240000 24013e 240206 18", None),
        ("16 04 00 05 0001 06 00000100 07 0000000001000000 18", [0, 256, 65536, 1 << 32]),
        ("16 08 09 14 0c01 41 1002 0102 18", [False, True, None, "A", b"\1\2"]),
    ):
        if value is None:
            assert tlv.decode(bytes.fromhex(octets)) == [(0, 0), (1, 62), (2, 6)]
        else:
            assert tlv.encode(value) == bytes.fromhex(octets)
            assert tlv.decode(bytes.fromhex(octets)) == value
    for cut in range(8):
        with pytest.raises((ValueError, IndexError)):
            tlv.decode(bytes.fromhex("1524000024ff0c18")[:cut])


def test_a_verifier() -> None:
    assert spake2plus.verifier(20202021, b"SPAKE2P Key Salt", 1000).hex() == VERIFIER


def test_both_sides_of_pase_agree() -> None:
    salt, passcode = bytes(16), 34567890
    prover = spake2plus.Prover(passcode, salt, 1000)
    w0, w1 = spake2plus.scalars(passcode, salt, 1000)
    y = 0x1234567
    share = spake2plus.add(spake2plus.multiply(y, spake2plus.G), spake2plus.multiply(w0, spake2plus.N))
    keys = prover.keys(bytes(32), spake2plus.octets(share))
    # The device's side: Z = y·(pA - w0·M), V = y·L.
    masked = spake2plus.negative(spake2plus.multiply(w0, spake2plus.M))
    z = spake2plus.multiply(y, spake2plus.add(spake2plus.point(prover.share), masked))
    v = spake2plus.multiply(y, spake2plus.multiply(w1, spake2plus.G))
    names = [spake2plus.octets(point) for point in (spake2plus.M, spake2plus.N)]
    parts = [bytes(32), b"", b"", *names, prover.share, *map(spake2plus.octets, (share, z, v)), w0.to_bytes(32, "big")]
    both = spake2plus.hashlib.sha256(b"".join(len(one).to_bytes(8, "little") + one for one in parts)).digest()
    assert keys.secret == both[16:]
    confirmation = hkdf(both[:16], b"", b"ConfirmationKeys", 32)
    assert keys.confirmation == hmac.digest(confirmation[:16], spake2plus.octets(share), "sha256")


def test_a_certificate() -> None:
    assert signed_part(tlv.decode(bytes.fromhex(NODE_CERTIFICATE))).hex() == SIGNED_PART


def test_the_names_of_a_fabric() -> None:
    root = bytes.fromhex(ROOT_KEY)
    compressed = hkdf(root[1:], (1).to_bytes(8, "big"), b"CompressedFabric", 8)
    assert compressed.hex() == COMPRESSED
    group_key = hkdf(bytes.fromhex(EPOCH_KEY), compressed, b"GroupKey v1.0", 16)
    assert group_key.hex() == GROUP_KEY
    sigma1 = tlv.decode(bytes.fromhex(SIGMA1))
    named = sigma1[1] + root + (1).to_bytes(8, "little") + (4097).to_bytes(8, "little")
    assert hmac.digest(group_key, named, "sha256") == sigma1[3]


def test_a_protected_message() -> None:
    octets, head = bytes.fromhex(DATAGRAM), Header.parsed(bytes.fromhex(DATAGRAM))
    clear = bytes.fromhex(CLEAR)
    sender = Session(7, head.session, bytes.fromhex(KEY) * 3, own_node=112233, counter=head.counter - 1)
    message = Message.parsed(clear, head.counter)
    assert message.octets == clear
    assert sender.sealed(message) == (head.counter, octets)
    receiver = Session(head.session, 7, bytes.fromhex(KEY) * 3, peer_node=112233)
    assert receiver.opened(octets, head) == message
    with pytest.raises(InvalidTag):
        receiver.opened(octets[:-1] + b"\0", head)


def test_a_report() -> None:
    report = StatusReport.parsed(bytes.fromhex("0800 00000000 0400 8813"))
    assert (report.general, report.code, report.wait) == (8, 4, 5.0)
    assert report.octets.hex() == "08000000000004008813"
