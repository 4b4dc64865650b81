public import JSON

/// An error in a device file, with its location.
public typealias DeviceFault = JSONPlaceFault
