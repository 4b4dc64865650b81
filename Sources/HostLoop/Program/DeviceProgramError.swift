// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// A mistake in the definition of devices, found before anything is transmitted.
public enum DeviceProgramError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no device, or there are more than `ProgramSettings.maximumDevices`.
    case deviceCount(Int)
    /// A characteristic or a descriptor was added before the first service.
    case outsideService(device: String, BluetoothUUID)
    /// A writable characteristic has `onRead` but no `onWrite`, so that written values would be lost.
    case unhandledWrites(device: String, BluetoothUUID)
    /// A value is longer than its characteristic's maximum, or than 512 octets.
    case valueTooLong(device: String, BluetoothUUID)
    /// The attribute database is invalid.
    case database(device: String, DatabaseError)
    /// The services or the name do not fit the advertising data.
    case advertising(device: String, AdvertisingDataError)
    /// The advertising set is invalid.
    case advertisingSet(device: String, AdvertisingSetFault)

    /// One line: the device, the mistake and the remedy.
    public var description: String {
        switch self {
        case .deviceCount(let count):
            "\(count) devices: define 1 to \(ProgramSettings.maximumDevices) for one radio"
        case .outsideService(let device, let uuid):
            "device \(device.debugDescription): \(uuid) is in no service; call addService before it"
        case .unhandledWrites(let device, let uuid):
            "device \(device.debugDescription): \(uuid) is writable and has onRead; add onWrite"
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
