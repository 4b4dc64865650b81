# SPDX-License-Identifier: Apache-2.0
"""The wire between a panel and readerd: a pseudo-terminal whose near end is readerd's, under one name."""

from __future__ import annotations

import contextlib
import os
import tty
from pathlib import Path


class Wire:
    """One wire. `end` is the panel's, `path` names the reader's."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "wire"
        self.end = -1
        self.lay()

    def lay(self) -> None:
        """Makes the wire; a new one after `lose`."""
        self.end, near = os.openpty()
        tty.setraw(near)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(near))
        os.close(near)

    def lose(self) -> None:
        """Unplugs the adapter: the reader's end hangs up, and has no name any longer."""
        self.path.unlink()
        os.close(self.end)
        self.end = -1


@contextlib.contextmanager
def wire(directory: Path):
    """A wire that exists."""
    laid = Wire(directory)
    try:
        yield laid
    finally:
        if laid.end >= 0:
            os.close(laid.end)
