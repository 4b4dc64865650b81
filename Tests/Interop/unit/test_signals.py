# SPDX-License-Identifier: Apache-2.0
"""Programs under test start with the default action of every signal, also below nohup."""

import re
import signal
import subprocess

from conftest import accept_signals


def test_an_ignored_hang_up_is_not_inherited():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        accept_signals()
        status = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
    finally:
        signal.signal(signal.SIGHUP, before)
    ignored = int(re.search(r"^SigIgn:\t(\w+)$", status, re.MULTILINE)[1], 16)
    assert not ignored & 1 << (signal.SIGHUP - 1)
