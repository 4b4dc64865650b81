// SPDX-License-Identifier: Apache-2.0

public import GATTDevice
public import HostLoop

// The device meets the requirements of the loop; the conformance is here so that their libraries stay independent.
extension EmulatedDevice: @retroactive HostedDevice {}
