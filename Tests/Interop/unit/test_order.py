# SPDX-License-Identifier: Apache-2.0
"""The conversion of a profile into lines of the linker's order; no readerd."""

from bench.order import functions

PROGRAM = "/tmp/rd-x/readerd"
PROFILE = f"""\
# callgrind format
events: Ir

ob=/usr/lib/libc.so.6
fl=???
fn=malloc
0 7
ob={PROGRAM}
fl=???
fn=$s7readerd13ReaderProcessC6settleyyF
0 12
cob=/usr/lib/libc.so.6
cfn=free
calls=1 0
0 3
fn=swift_retain'2
0 4
fn=0x00000000001e8700
0 1
fn=(below main)
0 1
ob={PROGRAM}.old
fn=main
0 1
"""


def test_the_programs_own_functions_as_the_linker_knows_them():
    assert functions(PROFILE, PROGRAM) == ["$s7readerd13ReaderProcessC6settleyyF", "swift_retain"]


def test_a_profile_of_nothing_has_none():
    assert functions("events: Ir\n", PROGRAM) == []
