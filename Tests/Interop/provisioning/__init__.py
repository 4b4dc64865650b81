# SPDX-License-Identifier: Apache-2.0
"""The phone's half of Nordic's Wi-Fi provisioning, written from its published facts."""
