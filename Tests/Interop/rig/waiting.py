# SPDX-License-Identifier: Apache-2.0
"""Waits for a condition, so that no test has a time that a busy machine could need."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

SECONDS = 20.0
"""A bound: on a quiet machine nothing takes a tenth of it."""
POLL_SECONDS = 0.02


async def until(
    what: str, holds: Callable[[], T | Awaitable[T]], seconds: float = SECONDS, every: float = POLL_SECONDS
) -> T:
    """The first true value of `holds`, which may be a coroutine function. Raises TimeoutError with `what`."""
    deadline = time.monotonic() + seconds
    while True:
        value = holds()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        await asyncio.sleep(every)
