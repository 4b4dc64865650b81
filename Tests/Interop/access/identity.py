# SPDX-License-Identifier: Apache-2.0
"""The demo identity that the vendor publishes for tests. Every factory reader has it, so none of this is a secret."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric import ec

from access.envelope import public_key

DEVICE_ID = "wa0y1YwS"
WALL_READER = 5
"""Hardware type."""
ON_POWER = 1
"""Battery level."""

_TERMINAL_SCALAR = "a5ab6d14113047a7ad6c10e44de63c05b96b84b51fe314d6875c469eb9cd692b"
_TERMINAL_POINT = (
    "043a668675c9292907c36318974dd9441c71f9e445e8741a3faf6bc58c9c6913be"
    "44140b60454f762fc2f1984198ec6e391b53368b9073ea1de720cfa1be2dd4f1"
)
_SIGNATURE_SCALAR = "ef3655c94d801ef49256750e70e1510ecce8b46c545e551ddebbfc6f22a84950"
_SIGNATURE_POINT = (
    "045a0d6e6745ccd5c18cebd8aff6ea86d8c3af433fb7a2d25f213442d4cd9683b4"
    "e67d2ddc25eb53f912761e40e6c99983dd9090fef0b42599cd16ae392fcf9643"
)


def _private(scalar: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int(scalar, 16), ec.SECP256R1())


TERMINAL_PRIVATE = _private(_TERMINAL_SCALAR)
TERMINAL_PUBLIC = public_key(bytes.fromhex(_TERMINAL_POINT))
SIGNATURE_PRIVATE = _private(_SIGNATURE_SCALAR)
SIGNATURE_PUBLIC = public_key(bytes.fromhex(_SIGNATURE_POINT))
