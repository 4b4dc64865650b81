# SPDX-License-Identifier: Apache-2.0
"""A phone on BlueZ that looks for a reader by its name: name_phone.py NAME."""

from __future__ import annotations

import sys

from access_phone import COMPANY, SERVICE
from central import check, find, main

NAME = sys.argv[1]


async def phone() -> None:
    _, data = await find(lambda data: SERVICE in data.service_uuids and data.local_name == NAME)
    check(f"BlueZ finds the reader by the name {NAME}", COMPANY in data.manufacturer_data, data)


if __name__ == "__main__":
    main(phone)
