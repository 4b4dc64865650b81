# SPDX-License-Identifier: Apache-2.0
"""All kernel tests, in the order in which they run: importing a module adds what it has."""

import bluetooth.case  # noqa: F401
import board_case  # noqa: F401
import gpio.case  # noqa: F401
import package.case
import package.flavours
import package.keeping  # noqa: F401
import power_cut.case
import power_cut.update  # noqa: F401
import sealed.case  # noqa: F401
import updates.case  # noqa: F401
import wifi.case  # noqa: F401
