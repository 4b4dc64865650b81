# SPDX-License-Identifier: Apache-2.0
"""Apps that provision a device over its own access point, written from Nordic's publications."""
