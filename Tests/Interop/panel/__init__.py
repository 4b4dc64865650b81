# SPDX-License-Identifier: Apache-2.0
"""An access panel on OSDP: PyPI's libosdp, and frames written octet by octet from the published facts."""
