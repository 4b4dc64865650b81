# SPDX-License-Identifier: Apache-2.0
"""The interop rig: a virtual air, phones that know only the published protocol, and the reader as a process."""
