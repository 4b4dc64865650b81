public import GATTDevice
public import HostLoop

// What the loop asks for is what the device has; neither library has to know the other for it.
extension EmulatedDevice: HostedDevice {}
