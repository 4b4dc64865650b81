// SPDX-License-Identifier: Apache-2.0

import CBOR
public import Peripheral

/// The answer to a request.
public enum SimBLEAnswer: Equatable, Sendable {
    case hello
    case centralState(SimBLEManagerState)
    /// A confirmation without members: of a scan's start or end, of a write.
    case done(SimBLEOperation)
    /// A confirmation with the peripheral: of a connection's begin or end.
    case peripheral(SimBLEOperation, [UInt8])
    case services([UInt8], [BluetoothUUID])
    case characteristics([UInt8], service: BluetoothUUID, [BluetoothUUID])
    case value(SimBLEAttribute, [UInt8])
    case notify(SimBLEAttribute, Bool)
    /// The RSSI in dBm.
    case rssi([UInt8], Int8)
    case peripheralState([UInt8], SimBLEPeripheralState)
    /// A refusal with its reason for a person; of no operation (0) if the request was not read.
    case refused(SimBLEOperation?, SimBLECode, String)

    /// The version of the wire.
    static let version: Int64 = 1
    /// The longest reason, in octets, that the published library keeps whole.
    private static let reasonLimit = 255

    /// The frame.
    public var frame: [UInt8] {
        var (operation, members) = contents
        var status: Int64 = 0
        if case .refused(_, let code, let reason) = self {
            status = 1
            members = [
                .errorCode: .integer(code.rawValue),
                .error: .text(String(decoding: reason.utf8.prefix(SimBLEAnswer.reasonLimit), as: UTF8.self)),
            ]
        }
        members[.operation] = .integer(operation)
        members[.status] = .integer(status)
        return SimBLEMessage.frame(members)
    }

    private var contents: (operation: Int64, members: [SimBLEKey: CBORValue]) {
        switch self {
        case .hello: (SimBLEOperation.hello.rawValue, [.version: .integer(SimBLEAnswer.version)])
        case .centralState(let state):
            (SimBLEOperation.centralState.rawValue, [.state: .integer(state.rawValue)])
        case .done(let operation): (operation.rawValue, [:])
        case .peripheral(let operation, let peripheral): (operation.rawValue, [.peripheral: .octets(peripheral)])
        case .services(let peripheral, let services):
            (
                SimBLEOperation.discoverServices.rawValue,
                [.peripheral: .octets(peripheral), .services: SimBLEMessage.list(services)]
            )
        case .characteristics(let peripheral, let service, let found):
            (
                SimBLEOperation.discoverCharacteristics.rawValue,
                [
                    .peripheral: .octets(peripheral), .service: SimBLEMessage.text(service),
                    .characteristics: SimBLEMessage.list(found),
                ]
            )
        case .value(let attribute, let value):
            (SimBLEOperation.read.rawValue, SimBLEMessage.members(attribute, [.value: .octets(value)]))
        case .notify(let attribute, let enabled):
            (SimBLEOperation.setNotify.rawValue, SimBLEMessage.members(attribute, [.notify: .integer(enabled ? 1 : 0)]))
        case .rssi(let peripheral, let rssi):
            (SimBLEOperation.readRSSI.rawValue, [.peripheral: .octets(peripheral), .rssi: .integer(Int64(rssi))])
        case .peripheralState(let peripheral, let state):
            (
                SimBLEOperation.peripheralState.rawValue,
                [.peripheral: .octets(peripheral), .state: .integer(state.rawValue)]
            )
        case .refused(let operation, _, _): (operation?.rawValue ?? 0, [:])
        }
    }
}

/// An event for apps, without a request.
public enum SimBLEEvent: Equatable, Sendable {
    /// A device was received in a scan: its merged data, and the RSSI in dBm of the latest packet.
    case discovered([UInt8], SimBLEAdvertisement, rssi: Int8)
    /// A notified or indicated value.
    case value(SimBLEAttribute, [UInt8])
    /// A link has ended without a request.
    case disconnected([UInt8], SimBLECode)
    case centralState(SimBLEManagerState)

    /// The frame.
    public var frame: [UInt8] {
        switch self {
        case .discovered(let peripheral, let advertisement, let rssi):
            var members = advertisement.members
            members[.peripheral] = .octets(peripheral)
            members[.rssi] = .integer(Int64(rssi))
            return SimBLEMessage.frame(.discovered, members)
        case .value(let attribute, let value):
            return SimBLEMessage.frame(.value, SimBLEMessage.members(attribute, [.value: .octets(value)]))
        case .disconnected(let peripheral, let code):
            return SimBLEMessage.frame(
                .disconnected, [.peripheral: .octets(peripheral), .errorCode: .integer(code.rawValue)])
        case .centralState(let state):
            return SimBLEMessage.frame(.centralState, [.state: .integer(state.rawValue)])
        }
    }
}

/// The encoding of messages.
enum SimBLEMessage {
    static func frame(_ number: SimBLEEventNumber, _ members: [SimBLEKey: CBORValue]) -> [UInt8] {
        frame(members.merging([.operation: .integer(number.rawValue)]) { $1 })
    }

    static func frame(_ members: [SimBLEKey: CBORValue]) -> [UInt8] {
        let map = CBORValue.map(
            Dictionary(uniqueKeysWithValues: members.map { (.integer($0.key.rawValue), $0.value) }))
        var payload: [UInt8] = []
        // The longest message is a list of all services that a discovery returns, 20 KB.
        do throws(CBORError) { try map.encode(limit: SimBLEFramer.wireLimit, into: &payload) } catch {
            preconditionFailure("a message is longer than 1 MiB")
        }
        var octets: [UInt8] = []
        SimBLEFramer.append(payload, to: &octets)
        return octets
    }

    static func members(
        _ attribute: SimBLEAttribute, _ others: [SimBLEKey: CBORValue]
    ) -> [SimBLEKey: CBORValue] {
        others.merging([
            .peripheral: .octets(attribute.peripheral), .service: text(attribute.service),
            .characteristic: text(attribute.characteristic),
        ]) { $1 }
    }

    static func text(_ uuid: BluetoothUUID) -> CBORValue { .text(uuid.description) }

    static func list(_ uuids: [BluetoothUUID]) -> CBORValue { .array(uuids.map(text)) }
}
