public import JSON

/// What is wrong in a device file, and where.
public typealias DeviceFault = JSONPlaceFault
