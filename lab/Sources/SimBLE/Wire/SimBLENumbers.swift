// SPDX-License-Identifier: Apache-2.0

/// The keys of a message's map, of its public schema (nirapod-labs/simble, packages/protocol/protocol.cddl, version 1).
enum SimBLEKey: Int64 {
    case operation = 0
    case status = 1
    case error = 6
    case token = 7
    case version = 8
    case errorCode = 10
    case application = 14
    case displayName = 28
    case peripheral = 30
    case service = 31
    case characteristic = 32
    case value = 33
    case rssi = 34
    case localName = 35
    case advertisedServices = 36
    case transmitPower = 37
    case manufacturerData = 38
    case writeType = 39
    case notify = 40
    case state = 41
    case services = 50
    case characteristics = 51
}

/// The operations of requests and their answers.
public enum SimBLEOperation: Int64, CaseIterable, Sendable {
    case hello = 1
    case centralState
    case scanStart
    case scanStop
    case connect
    case disconnect
    case discoverServices
    case discoverCharacteristics
    case read
    case write
    case setNotify
    case readRSSI
    case peripheralState
    // The peripheral role, which is not served.
    case addService
    case removeService
    case startAdvertising
    case stopAdvertising
    case respondRead
    case respondWrite
    case updateValue
}

/// The operations of events of the central role.
enum SimBLEEventNumber: Int64 {
    case discovered = 128
    case value
    case disconnected
    case centralState
}

/// The state of a central in CoreBluetooth's numbers (CBManagerState), those that occur here.
public enum SimBLEManagerState: Int64, Sendable {
    case unknown = 0
    case resetting = 1
    case poweredOn = 5
}

/// The state of a peripheral in CoreBluetooth's numbers (CBPeripheralState).
public enum SimBLEPeripheralState: Int64, Sendable {
    case disconnected
    case connecting
    case connected
    case disconnecting
}

/// The code of a refusal: of ATT, of CoreBluetooth (CBError), or of the published helper for requests without
/// execution.
public struct SimBLECode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: Int64

    /// The code with this number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The token is missing or wrong.
    public static let unauthorized = SimBLECode(rawValue: -1)
    /// The message does not conform to the schema.
    public static let malformed = SimBLECode(rawValue: -2)
    /// An operation of the peripheral role.
    public static let notImplemented = SimBLECode(rawValue: -3)

    /// CBError.unknown.
    public static let unknown = SimBLECode(rawValue: 0)
    /// CBError.notConnected.
    public static let notConnected = SimBLECode(rawValue: 3)
    /// CBError.operationCancelled.
    public static let operationCancelled = SimBLECode(rawValue: 5)
    /// CBError.connectionTimeout.
    public static let connectionTimeout = SimBLECode(rawValue: 6)
    /// CBError.peripheralDisconnected.
    public static let peripheralDisconnected = SimBLECode(rawValue: 7)
    /// CBError.connectionFailed.
    public static let connectionFailed = SimBLECode(rawValue: 10)
    /// CBError.unknownDevice.
    public static let unknownDevice = SimBLECode(rawValue: 12)
    /// CBError.operationNotSupported.
    public static let operationNotSupported = SimBLECode(rawValue: 13)

    /// The ATT error Attribute Not Found (Core 5.4, Vol 3, Part F, 3.4.1.1).
    public static let attributeNotFound = SimBLECode(rawValue: 0x0A)
    /// The ATT error Request Not Supported.
    public static let requestNotSupported = SimBLECode(rawValue: 0x06)
    /// The ATT error Invalid Attribute Value Length.
    public static let invalidLength = SimBLECode(rawValue: 0x0D)
}
