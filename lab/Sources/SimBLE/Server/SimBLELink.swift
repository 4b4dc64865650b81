// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import Timekeeping

/// A device to connect to, with the requests that wait for it.
struct SimBLEAttempt: Sendable {
    var address: BluetoothAddress
    var tickets: [SimBLETicket]
    /// True when the central has begun.
    var isStarted = false
    /// True if it is given up, with the requests to do so.
    var isCancelled = false
    var cancelling: [SimBLETicket] = []
}

/// A scan for apps.
struct SimBLEScan: Sendable {
    /// The maximum number of devices that are known; the one not heard for longest is forgotten.
    static let deviceLimit = 256

    /// A reported device.
    struct Device: Sendable {
        var data: [UInt8]
        var scanResponse: [UInt8]?
        var reported: Instant
    }

    /// The services of which a device must have one; nil for any.
    var services: [BluetoothUUID]?
    private var devices: [BluetoothAddress: Device] = [:]

    init(_ services: [BluetoothUUID]?) { self.services = services }

    /// True if apps are to receive this report: the device or its data are new, or its last report is old.
    mutating func isNews(_ report: AdvertisementReport, after pause: Duration, at now: Instant) -> Bool {
        if let known = devices[report.address], known.data == report.data,
            known.scanResponse == report.scanResponse, now - known.reported < pause
        {
            return false
        }
        if devices.count >= SimBLEScan.deviceLimit, devices[report.address] == nil,
            let oldest = devices.min(by: { $0.value.reported < $1.value.reported })
        {
            devices[oldest.key] = nil
        }
        devices[report.address] = Device(data: report.data, scanResponse: report.scanResponse, reported: now)
        return true
    }
}

/// A link to a device, with its discovered attributes.
struct SimBLELink: Sendable {
    /// The step of a request that waits for the device.
    enum Step {
        case services(SimBLETicket, [BluetoothUUID]?)
        case characteristics(SimBLETicket, RemoteService, [BluetoothUUID]?)
        case read(SimBLETicket, SimBLEAttribute)
        case write(SimBLETicket)
        case descriptors(SimBLETicket, SimBLEAttribute, RemoteCharacteristic, Bool)
        case subscribe(SimBLETicket, SimBLEAttribute, Bool)

        var ticket: SimBLETicket {
            switch self {
            case .services(let ticket, _), .characteristics(let ticket, _, _), .read(let ticket, _),
                .write(let ticket), .descriptors(let ticket, _, _, _), .subscribe(let ticket, _, _):
                ticket
            }
        }
    }

    let address: BluetoothAddress
    var client: GATTClient
    var services: [RemoteService] = []
    var characteristics: [RemoteService: [RemoteCharacteristic]] = [:]
    var steps: [GATTOperationID: Step] = [:]
    var rssi: [SimBLETicket] = []
    /// The requests to disconnect.
    var ending: [SimBLETicket] = []
    var isEnding = false

    init(_ address: BluetoothAddress, maximumMTU: Int, at now: Instant) {
        self.address = address
        client = GATTClient(maximumMTU: maximumMTU)
        client.start(.exchangeMTU, at: now)
    }

    var identifier: [UInt8] { PeripheralIdentifier.octets(of: address) }

    mutating func start(_ operation: GATTOperation, _ step: Step, at now: Instant) {
        steps[client.start(operation, at: now)] = step
    }

    /// The first service with this UUID.
    func service(_ uuid: BluetoothUUID) -> RemoteService? { services.first { $0.uuid == uuid } }

    /// The characteristic, if it was discovered.
    func characteristic(_ attribute: SimBLEAttribute) -> RemoteCharacteristic? {
        service(attribute.service).flatMap { characteristics[$0] }?.first { $0.uuid == attribute.characteristic }
    }

    /// The name of the characteristic whose value has this handle, if it was discovered.
    func attribute(_ handle: AttributeHandle) -> SimBLEAttribute? {
        for (service, found) in characteristics {
            if let characteristic = found.first(where: { $0.value == handle }) {
                return SimBLEAttribute(
                    peripheral: identifier, service: service.uuid, characteristic: characteristic.uuid)
            }
        }
        return nil
    }
}
