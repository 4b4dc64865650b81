# SPDX-License-Identifier: Apache-2.0
"""The bench of the firmware, with programs that are no reader."""

from __future__ import annotations

import pytest

from bench import firmware


async def test_a_reader_that_does_not_start_fails_the_bench_with_its_own_line(tmp_path, monkeypatch):
    monkeypatch.setenv("READERD", "")
    program = tmp_path / "readerd"
    program.write_text("#!/bin/sh\necho 'readerd: state: in use' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(SystemExit, match=r"does not start, and ends with 1:\n *readerd: state: in use$"):
        await firmware.memory(program)
