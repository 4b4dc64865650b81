# SPDX-License-Identifier: Apache-2.0
"""A controller of the air as the controller of Android's host, and RootCanal, which the Android Emulator has.

The host is the model of `rig.android_start`; no Android runs here.
"""

import contextlib

import pytest

from rig.air_process import AirProcess
from rig.android_start import FIRST, SETTINGS, AndroidStart
from rig.radio_process import RadioProcess

UNSUPPORTED = [
    *("Set_Event_Mask_Page_2", "Write_LE_Host_Support", "Read_Local_Extended_Features", "Write_Simple_Pairing_Mode"),
    *("Write_Page_Timeout", "Write_Default_Link_Policy_Settings", "Write_Class_of_Device", "Write_Local_Name"),
    *("Write_Extended_Inquiry_Response", "Write_Inquiry_Mode", "Write_Inquiry_Scan_Type", "Write_Page_Scan_Type"),
    *("Write_Inquiry_Scan_Activity", "Write_Page_Scan_Activity", "Write_Scan_Enable", "Delete_Stored_Link_Key"),
    *("LE_Clear_Resolving_List", "LE_Set_Address_Resolution_Enable"),
]
"""The commands that an LE controller without privacy does not have."""


@contextlib.asynccontextmanager
async def air(words: str):
    """The air with one place of these words, and the place."""
    air = await AirProcess.start(f"phone=tcp:127.0.0.1:0{words}")
    try:
        yield air, await air.listen_tcp("phone")
    finally:
        await air.stop()


async def test_the_controller_of_the_emulator_lets_android_start(directory):
    radio = await RadioProcess.start(directory)
    try:
        start = await AndroidStart.play(await radio.listen_tcp("phone"))
    finally:
        await radio.stop()
    assert start.ends == []
    # More than the air has.
    assert {"Read_Local_Extended_Features 1", "LE_Read_Buffer_Size_V2"} < set(start.asked)


async def test_a_place_of_the_air_lets_android_start(directory):
    async with air("") as (process, hci):
        start = await AndroidStart.play(hci)
        assert start.ends == []
        assert len(start.asked) >= len(FIRST) + len(SETTINGS)
        assert "LE_Read_Number_of_Supported_Advertising_Sets" in start.asked
        # Again, after a restart of the host; what it asked is no violation.
        await process.event("left", "phone")
        assert (await AndroidStart.play(hci)).ends == []
        assert process.events("violation") == []


async def test_a_strict_place_answers_what_it_does_not_have_by_command_status(directory):
    async with air(",strict") as (process, hci):
        start = await AndroidStart.play(hci)
        assert start.ends == [f"{name}: Command Status" for name in UNSUPPORTED]
        violations = [event["text"] for event in process.events("violation")]
        assert violations.count("command 0x0C6D is not supported") == 1
        # And the vendor command, whose Command Status Android accepts.
        assert len(violations) == len(UNSUPPORTED) + 1


@pytest.mark.parametrize("words", [",legacy", ",legacy,strict"])
async def test_a_4_0_controller_has_no_extended_scanning(directory, words):
    """It starts Android as well, if it is not strict; extended scanning is an error that Android logs."""
    async with air(words) as (_, hci):
        start = await AndroidStart.play(hci)
        assert bool(start.ends) == words.endswith("strict")
        assert "LE_Read_Number_of_Supported_Advertising_Sets" not in start.asked
