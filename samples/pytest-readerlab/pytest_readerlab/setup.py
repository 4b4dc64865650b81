# SPDX-License-Identifier: Apache-2.0
"""The parameter of a device's fixture: options of its command, and faults."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest


@dataclass(frozen=True)
class Setup:
    """Options of `readerlab emulate KIND`, and faults that are typed once it is ready.

    Example: `@pytest.mark.parametrize("camera", [Setup("--pairing", "fail")], indirect=True)`.
    """

    options: tuple[str, ...] = field(default=())
    faults: tuple[str, ...] = field(default=())

    def __init__(self, *options: str, faults: tuple[str, ...] | list[str] = ()) -> None:
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "faults", tuple(faults))


def faults(device: str, *lines: str) -> pytest.MarkDecorator:
    """A test per fault of the fixture `device`, each a line such as `drop wifi-succeeded`."""
    parameters = [pytest.param(Setup(faults=[line]), id=line) for line in lines]
    return pytest.mark.parametrize(device, parameters, indirect=True)
