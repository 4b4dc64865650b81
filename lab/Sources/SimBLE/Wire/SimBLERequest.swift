// SPDX-License-Identifier: Apache-2.0

import CBOR
public import Peripheral

/// A request of an app.
public enum SimBLERequest: Equatable, Sendable {
    /// The version of the wire, and the app's name for a person, which grants nothing.
    case hello(version: Int64, application: String?, name: String?)
    case centralState
    /// Scans for devices with any of these services; nil for all.
    case scanStart([BluetoothUUID]?)
    case scanStop
    case connect([UInt8])
    case disconnect([UInt8])
    /// Discovers services, of these UUIDs alone if there are any.
    case discoverServices([UInt8], [BluetoothUUID]?)
    /// Discovers characteristics of a service, of these UUIDs alone if there are any.
    case discoverCharacteristics([UInt8], service: BluetoothUUID, [BluetoothUUID]?)
    case read(SimBLEAttribute)
    case write(SimBLEAttribute, [UInt8], withResponse: Bool)
    case setNotify(SimBLEAttribute, Bool)
    case readRSSI([UInt8])
    case peripheralState([UInt8])
    /// A request of the peripheral role, whose members are not read.
    case peripheralRole(SimBLEOperation)

    /// The request in a payload. The token is compared before the operation is read.
    ///
    /// - Throws: `SimBLEFault`, of those that are not about frames. Members that the schema does not have are ignored,
    ///   because it may grow without a new version.
    public init(_ payload: Span<UInt8>, token: SimBLEToken) throws(SimBLEFault) {
        let message = try SimBLEMap(payload)
        guard let presented = message.octets(.token), token.matches(presented) else { throw .token }
        let number = try message.integer(.operation)
        guard let operation = SimBLEOperation(rawValue: number) else { throw .operation(number) }
        self = try SimBLERequest.members(operation, message)
    }

    private static func members(
        _ operation: SimBLEOperation, _ message: SimBLEMap
    ) throws(SimBLEFault) -> SimBLERequest {
        switch operation {
        case .hello:
            .hello(
                version: try message.integer(.version), application: try message.text(.application),
                name: try message.text(.displayName))
        case .centralState: .centralState
        case .scanStart: .scanStart(try message.list(.services))
        case .scanStop: .scanStop
        case .connect: .connect(try message.peripheral)
        case .disconnect: .disconnect(try message.peripheral)
        case .discoverServices: .discoverServices(try message.peripheral, try message.list(.services))
        case .discoverCharacteristics:
            .discoverCharacteristics(
                try message.peripheral, service: try message.uuid(.service), try message.list(.characteristics))
        case .read: .read(try message.attribute)
        case .write:
            .write(
                try message.attribute, try message.required(.value),
                // 0 requests a response, 1 does not.
                withResponse: try !message.flag(.writeType))
        case .setNotify: .setNotify(try message.attribute, try message.flag(.notify))
        case .readRSSI: .readRSSI(try message.peripheral)
        case .peripheralState: .peripheralState(try message.peripheral)
        case .addService, .removeService, .startAdvertising, .stopAdvertising, .respondRead, .respondWrite,
            .updateValue:
            .peripheralRole(operation)
        }
    }

    /// The operation.
    public var operation: SimBLEOperation {
        switch self {
        case .hello: .hello
        case .centralState: .centralState
        case .scanStart: .scanStart
        case .scanStop: .scanStop
        case .connect: .connect
        case .disconnect: .disconnect
        case .discoverServices: .discoverServices
        case .discoverCharacteristics: .discoverCharacteristics
        case .read: .read
        case .write: .write
        case .setNotify: .setNotify
        case .readRSSI: .readRSSI
        case .peripheralState: .peripheralState
        case .peripheralRole(let operation): operation
        }
    }
}

/// A message's map, in canonical form: shortest heads, ascending keys, each once, and nothing behind it.
private struct SimBLEMap {
    /// The maximum number of UUIDs in a list; more services than a device has.
    private static let listLimit = 256
    /// The longest identifier that the published library keeps.
    private static let identifierLimit = 64

    private let members: [CBORValue: CBORValue]

    init(_ payload: Span<UInt8>) throws(SimBLEFault) {
        guard let value = try? CBORValue(deterministic: payload), case .map(let members) = value else {
            throw .notCanonical
        }
        self.members = members
    }

    private subscript(key: SimBLEKey) -> CBORValue? { members[.integer(key.rawValue)] }

    private func wrong(_ key: SimBLEKey) -> SimBLEFault { .malformed("key \(key.rawValue)") }

    func octets(_ key: SimBLEKey) -> [UInt8]? {
        if case .octets(let octets)? = self[key] { octets } else { nil }
    }

    func required(_ key: SimBLEKey) throws(SimBLEFault) -> [UInt8] {
        guard let octets = octets(key) else { throw wrong(key) }
        return octets
    }

    func integer(_ key: SimBLEKey) throws(SimBLEFault) -> Int64 {
        guard case .integer(let number)? = self[key], number >= 0 else { throw wrong(key) }
        return number
    }

    func flag(_ key: SimBLEKey) throws(SimBLEFault) -> Bool {
        switch try integer(key) {
        case 0: false
        case 1: true
        default: throw wrong(key)
        }
    }

    /// The text; nil if it is absent.
    func text(_ key: SimBLEKey) throws(SimBLEFault) -> String? {
        switch self[key] {
        case nil: nil
        case .text(let text)?: text
        default: throw wrong(key)
        }
    }

    func uuid(_ key: SimBLEKey) throws(SimBLEFault) -> BluetoothUUID {
        guard let uuid = try text(key).flatMap({ BluetoothUUID($0) }) else { throw wrong(key) }
        return uuid
    }

    /// The list of UUIDs; nil if it is absent.
    func list(_ key: SimBLEKey) throws(SimBLEFault) -> [BluetoothUUID]? {
        guard let value = self[key] else { return nil }
        guard case .array(let elements) = value, elements.count <= SimBLEMap.listLimit else { throw wrong(key) }
        var uuids: [BluetoothUUID] = []
        for element in elements {
            guard case .text(let text) = element, let uuid = BluetoothUUID(text) else { throw wrong(key) }
            uuids.append(uuid)
        }
        return uuids
    }

    var peripheral: [UInt8] {
        get throws(SimBLEFault) {
            let octets = try required(.peripheral)
            guard octets.count <= SimBLEMap.identifierLimit else { throw wrong(.peripheral) }
            return octets
        }
    }

    var attribute: SimBLEAttribute {
        get throws(SimBLEFault) {
            SimBLEAttribute(
                peripheral: try peripheral, service: try uuid(.service), characteristic: try uuid(.characteristic))
        }
    }
}
