# SPDX-License-Identifier: Apache-2.0
"""The start of Android's Bluetooth host at a controller, and the answers at which that host ends its process.

Android (packages/modules/Bluetooth, system/gd/hci) has one command under way. It ends without an answer within 2 s, at
Command Status instead of Command Complete or the reverse, except for vendor commands, and at a failed or short answer
to a question about the controller. An error of the other commands is only logged. This is a model of that host: no part
of Android runs here.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass, field

ANSWER_SECONDS = 2.0
COMPLETE, STATUS = 0x0E, 0x0F
UNKNOWN_COMMAND = 0x01
VENDOR = 0x3F
"""The group of vendor commands."""

LE_STATES, LE_FEATURES, COMMANDS, EXTENDED_FEATURES = 0x201C, 0x2003, 0x1002, 0x1004
LE_BUFFERS, LE_BUFFERS_V2 = 0x2002, 0x2060


@dataclass(frozen=True)
class Question:
    """A command: its parameters, and the minimum of return parameters with the status; 0 if an error is only logged."""

    name: str
    opcode: int
    parameters: bytes = b""
    count: int = 0
    bit: tuple[int, int] | None = None
    """Octet and bit of Supported Commands on which it depends."""
    feature: int | None = None
    """Bit of the LE features on which it depends."""


FIRST = [
    Question("Reset", 0x0C03, count=1),
    Question("Set_Event_Mask", 0x0C01, bytes.fromhex("ffffffffffffbf3d"), 1),
    Question("Set_Event_Mask_Page_2", 0x0C63, bytes.fromhex("0000000002000000")),
    Question("Write_LE_Host_Support", 0x0C6D, bytes.fromhex("0100")),
    Question("Read_Local_Version", 0x1001, count=9),
    Question("Read_Local_Supported_Commands", COMMANDS, count=65),
    Question("LE_Read_Local_Supported_Features", LE_FEATURES, count=9),
    Question("LE_Read_Supported_States", LE_STATES, count=9),
    Question("Read_Local_Extended_Features", EXTENDED_FEATURES, b"\0", 11),
]
"""Before the pages of the extended features."""

THEN = [
    Question("LE_Set_Event_Mask", 0x2001, bytes.fromhex("ff1f000000000000")),
    Question("Read_Buffer_Size", 0x1005, count=8),
    Question("LE_Read_Buffer_Size_V2", LE_BUFFERS_V2, count=7, bit=(41, 5)),
    Question("LE_Read_Buffer_Size", LE_BUFFERS, count=4),
    Question("Set_Min_Encryption_Key_Size", 0x0C84, b"\x07", 1, bit=(45, 7)),
    Question("Read_Local_Supported_Codecs", 0x100B, bit=(29, 5)),
    Question("LE_Read_Filter_Accept_List_Size", 0x200F, count=2),
    Question("LE_Read_Resolving_List_Size", 0x202A, count=2, bit=(34, 6), feature=6),
    Question("LE_Read_Maximum_Data_Length", 0x202F, count=9, bit=(35, 3), feature=5),
    Question("LE_Read_Suggested_Default_Data_Length", 0x2023, count=5, bit=(33, 7), feature=5),
    Question("LE_Read_Maximum_Advertising_Data_Length", 0x203A, count=3, bit=(36, 6), feature=12),
    Question("LE_Read_Number_of_Supported_Advertising_Sets", 0x203B, count=2, bit=(36, 7), feature=12),
    Question("LE_Read_Periodic_Advertiser_List_Size", 0x204A, count=2, bit=(38, 6), feature=13),
    Question("Write_Simple_Pairing_Mode", 0x0C56, b"\x01"),
    Question("LE_Get_Vendor_Capabilities", 0xFD53),
    Question("Read_BD_ADDR", 0x1009, count=7),
]

SETTINGS = [
    Question("Write_Page_Timeout", 0x0C18, bytes.fromhex("0020")),
    Question("Write_Default_Link_Policy_Settings", 0x080F, bytes.fromhex("0500")),
    Question("Write_Class_of_Device", 0x0C24, bytes.fromhex("0c025a")),
    Question("Write_Local_Name", 0x0C13, b"sdk".ljust(248, b"\0")),
    Question("Write_Extended_Inquiry_Response", 0x0C52, bytes(241)),
    Question("Write_Inquiry_Mode", 0x0C45, b"\x02"),
    Question("Write_Inquiry_Scan_Type", 0x0C43, b"\x01"),
    Question("Write_Page_Scan_Type", 0x0C47, b"\x01"),
    Question("Write_Inquiry_Scan_Activity", 0x0C1E, bytes.fromhex("00101200")),
    Question("Write_Page_Scan_Activity", 0x0C1C, bytes.fromhex("00081200")),
    Question("Write_Scan_Enable", 0x0C1A, b"\0"),
    Question("Delete_Stored_Link_Key", 0x0C12, bytes.fromhex("00000000000001")),
    Question("LE_Clear_Filter_Accept_List", 0x2010),
    Question("LE_Clear_Resolving_List", 0x2029),
    Question("LE_Set_Address_Resolution_Enable", 0x202D, b"\x01"),
    Question("LE_Set_Random_Address", 0x2005, bytes.fromhex("112233445540")),
    Question("LE_Set_Extended_Scan_Parameters", 0x2041, bytes.fromhex("0100010000080008")),
    Question("LE_Set_Extended_Scan_Enable", 0x2042, bytes.fromhex("010000000000")),
    Question("LE_Set_Extended_Scan_Enable", 0x2042, bytes.fromhex("000000000000")),
    Question("LE_Rand", 0x2018),
]
"""While Bluetooth is switched on; only the kind of the answer counts."""


@dataclass
class AndroidStart:
    """One start at a controller behind TCP."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    asked: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    """Each answer that would end Android: the command, and the reason."""

    @classmethod
    async def play(cls, hci: str) -> AndroidStart:
        """The whole start at HOST:PORT, past each answer that would end it."""
        host, _, port = hci.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            return await cls.play_on(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()

    @classmethod
    async def play_on(cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> AndroidStart:
        """The same at a controller that is open: H4 is read and written."""
        start = cls(reader, writer)
        await start._run()
        return start

    async def _run(self) -> None:
        answers = {question.opcode: await self._ask(question) for question in FIRST}
        commands, features = answers[COMMANDS][1:], int.from_bytes(answers[LE_FEATURES][1:9], "little")
        for page in range(1, self._octet(answers[EXTENDED_FEATURES], 2) + 1):
            await self._ask(Question(f"Read_Local_Extended_Features {page}", EXTENDED_FEATURES, bytes([page]), 11))
        for question in THEN:
            supported = question.bit is None or self._octet(commands, question.bit[0]) >> question.bit[1] & 1
            present = question.feature is None or features >> question.feature & 1
            replaced = question.opcode == LE_BUFFERS and "LE_Read_Buffer_Size_V2" in self.asked
            if supported and present and not replaced:
                await self._ask(question)
        for question in SETTINGS:
            await self._ask(question)

    @staticmethod
    def _octet(octets: bytes, place: int) -> int:
        return octets[place] if place < len(octets) else 0

    async def _ask(self, question: Question) -> bytes:
        """The return parameters with the status; empty after an answer of the wrong kind."""
        self.asked.append(question.name)
        head = struct.pack("<BHB", 1, question.opcode, len(question.parameters))
        self.writer.write(head + question.parameters)
        try:
            code, data = await asyncio.wait_for(self._answer(question.opcode), ANSWER_SECONDS)
        except TimeoutError:
            self.ends.append(f"{question.name}: no answer")
            return b""
        if code == STATUS:
            if question.opcode >> 10 != VENDOR or data[0] != UNKNOWN_COMMAND:
                self.ends.append(f"{question.name}: Command Status")
            return b""
        if question.count and (data[0] != 0 or len(data) < question.count):
            self.ends.append(f"{question.name}: status {data[0]:02X}, {len(data)} octets")
        return data

    async def _answer(self, opcode: int) -> tuple[int, bytes]:
        """The kind of the event that answers, and what follows the opcode, or the status."""
        while True:
            kind, code, count = struct.unpack("BBB", await self.reader.readexactly(3))
            assert kind == 4, f"a packet of type {kind} during the start"
            event = await self.reader.readexactly(count)
            if code == COMPLETE and struct.unpack_from("<H", event, 1)[0] == opcode:
                return code, event[3:]
            if code == STATUS and struct.unpack_from("<H", event, 2)[0] == opcode:
                return code, event[:1]
