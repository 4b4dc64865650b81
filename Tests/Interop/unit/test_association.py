# SPDX-License-Identifier: Apache-2.0
"""The table that pairings are held to, against sentences of the specification."""

import itertools

import pytest

from rig.association import CELLS, IO, Model, Side, expected


def test_every_pair_has_a_cell():
    assert set(CELLS) == set(itertools.product(IO, IO))


@pytest.mark.parametrize("other", IO)
def test_who_has_neither_input_nor_output_just_works(other):
    assert CELLS[IO.NONE, other] == CELLS[other, IO.NONE] == (Model.JUST_WORKS, Model.JUST_WORKS)


def test_only_secure_connections_compare_numbers():
    # Numeric comparison needs a display and at least yes and no on both sides.
    able = {IO.DISPLAY_YES_NO, IO.KEYBOARD_DISPLAY}
    compare = {pair for pair, (_, secure) in CELLS.items() if secure is Model.COMPARISON}
    assert compare == set(itertools.product(able, able))
    assert all(legacy is not Model.COMPARISON for legacy, _ in CELLS.values())


def test_who_shows_has_a_display_and_who_enters_a_keyboard():
    shows = {IO.DISPLAY_ONLY, IO.DISPLAY_YES_NO, IO.KEYBOARD_DISPLAY}
    enters = {IO.KEYBOARD_ONLY, IO.KEYBOARD_DISPLAY}
    for (initiator, responder), models in CELLS.items():
        for model in models:
            if model is Model.SHOWN_BY_CENTRAL:
                assert initiator in shows and responder in enters
            if model is Model.SHOWN_BY_PERIPHERAL:
                assert responder in shows and initiator in enters
            if model is Model.ENTERED_ON_BOTH:
                assert initiator is responder is IO.KEYBOARD_ONLY


def test_with_two_displays_and_keyboards_the_initiator_shows():
    # 2.3.5.1: if both can do both, the initiator displays and the responder enters.
    legacy, _ = CELLS[IO.KEYBOARD_DISPLAY, IO.KEYBOARD_DISPLAY]
    assert legacy is Model.SHOWN_BY_CENTRAL


def test_what_both_have_counts():
    plain = expected(Side(IO.DISPLAY_YES_NO, secure=False), Side(IO.DISPLAY_YES_NO, bonding=False, key_size=7))
    assert (plain.model, plain.secure, plain.bonded, plain.key_size) == (Model.JUST_WORKS, False, False, 7)
    wished = expected(Side(IO.DISPLAY_YES_NO), Side(IO.DISPLAY_YES_NO, mitm=True))
    assert (wished.model, wished.secure, wished.bonded) == (Model.COMPARISON, True, True)
