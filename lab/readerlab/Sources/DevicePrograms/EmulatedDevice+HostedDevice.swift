// SPDX-License-Identifier: Apache-2.0

public import GATTDevice
public import HostLoop

// The device satisfies the requirements of the loop, without a dependency between their libraries.
extension EmulatedDevice: @retroactive HostedDevice {}
