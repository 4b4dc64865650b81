public import Peripheral

/// What is wrong with devices that were defined: a mistake of their author, found before anything is on the air.
public enum DeviceProgramError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no device, or more than one radio plays.
    case deviceCount(Int)
    /// A characteristic, or a descriptor, stands before the first service.
    case outsideService(device: String, BluetoothUUID)
    /// A characteristic that can be written has a value that `onRead` makes, and nobody who takes what is written.
    case unhandledWrites(device: String, BluetoothUUID)
    /// A value is longer than its characteristic's maximum, or than 512 octets.
    case valueTooLong(device: String, BluetoothUUID)
    /// The services cannot be served.
    case database(device: String, DatabaseError)
    /// Services or name cannot be advertised.
    case advertising(device: String, AdvertisingDataError)
    /// The advertising set cannot be.
    case advertisingSet(device: String, AdvertisingSetFault)

    /// One line: which device, what is wrong, and what to do.
    public var description: String {
        switch self {
        case .deviceCount(let count):
            "\(count) devices: define 1 to \(ProgramSettings.maximumDevices) for one radio"
        case .outsideService(let device, let uuid):
            "device \(device.debugDescription): \(uuid) is in no service; call addService before it"
        case .unhandledWrites(let device, let uuid):
            "device \(device.debugDescription): \(uuid) can be written and has onRead; give it onWrite too"
        case .valueTooLong(let device, let uuid):
            "device \(device.debugDescription): the value of \(uuid) is longer than its maximumCount; shorten it"
        case .database(let device, let error): "device \(device.debugDescription): \(error)"
        case .advertising(let device, let error):
            "device \(device.debugDescription): \(error); advertisedServices names fewer services, advertisingData "
                + "replaces all"
        case .advertisingSet(let device, let fault): "device \(device.debugDescription): \(fault)"
        }
    }
}
