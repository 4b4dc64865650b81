# SPDX-License-Identifier: Apache-2.0
"""The access protocol from the phone's side, written from its published facts and independent of the Swift code."""
