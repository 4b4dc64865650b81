// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An error in a device file, with its location.
public typealias DeviceFault = JSONPlaceFault
