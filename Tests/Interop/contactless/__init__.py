# SPDX-License-Identifier: Apache-2.0
"""A phone that touches the reader: two simulated PN532 chips whose fields meet, and drivers that are the phone."""
