# SPDX-License-Identifier: Apache-2.0
"""The CHIP controller against an emulated Matter device, over IP and BLE, without radio or outside network."""
