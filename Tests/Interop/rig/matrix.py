# SPDX-License-Identifier: Apache-2.0
"""Matrices of which a run without `script/test --all` has some cases."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def some_of(cases: Iterable, reason: str, keep: int = 1) -> list:
    """The cases of a `parametrize`: the first ones as they are, the others marked as thorough.

    With several such matrices of one test, a case is thorough if one of its parts is.
    """
    mark = pytest.mark.thorough(reason)
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if number < keep else mark)
        for number, case in enumerate(cases)
    ]
