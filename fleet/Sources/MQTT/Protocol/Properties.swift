// SPDX-License-Identifier: Apache-2.0

import Octets

/// The properties of MQTT 5 (2.2.2.2, Table 2-4).
enum Property: UInt8, CaseIterable {
    case payloadFormat = 0x01
    case messageExpiry = 0x02
    case contentType = 0x03
    case responseTopic = 0x08
    case correlationData = 0x09
    case subscriptionIdentifier = 0x0B
    case sessionExpiry = 0x11
    case assignedIdentifier = 0x12
    case serverKeepalive = 0x13
    case authenticationMethod = 0x15
    case authenticationData = 0x16
    case requestProblems = 0x17
    case willDelay = 0x18
    case requestResponse = 0x19
    case responseInformation = 0x1A
    case serverReference = 0x1C
    case reasonText = 0x1F
    case receiveMaximum = 0x21
    case topicAliasMaximum = 0x22
    case topicAlias = 0x23
    case maximumQoS = 0x24
    case retainAvailable = 0x25
    case user = 0x26
    case maximumPacket = 0x27
    case wildcardsAvailable = 0x28
    case identifiersAvailable = 0x29
    case sharedAvailable = 0x2A

    /// The encoding of a value, with the permitted values of a number.
    enum Form: Equatable {
        /// A number of 1, 2 or 4 octets.
        case number(octets: Int, ClosedRange<UInt32>)
        /// A variable byte integer, not 0.
        case variable
        /// UTF-8, preceded by its length.
        case text
        /// Octets, preceded by their length.
        case octets
        /// Two texts.
        case pair
    }

    /// The encoding.
    var form: Form {
        switch self {
        case .payloadFormat, .requestProblems, .requestResponse, .maximumQoS, .retainAvailable, .wildcardsAvailable,
            .identifiersAvailable, .sharedAvailable:
            .number(octets: 1, 0...1)
        case .serverKeepalive, .topicAliasMaximum: .number(octets: 2, 0...0xFFFF)
        case .receiveMaximum, .topicAlias: .number(octets: 2, 1...0xFFFF)
        case .messageExpiry, .sessionExpiry, .willDelay: .number(octets: 4, 0...UInt32.max)
        case .maximumPacket: .number(octets: 4, 1...UInt32.max)
        case .subscriptionIdentifier: .variable
        case .contentType, .responseTopic, .assignedIdentifier, .authenticationMethod, .responseInformation,
            .serverReference, .reasonText:
            .text
        case .correlationData, .authenticationData: .octets
        case .user: .pair
        }
    }

    /// True if a packet may have it more than once (MQTT 5, 3.3.2.3.8 and the sections of the user property).
    var mayRepeat: Bool { self == .user || self == .subscriptionIdentifier }

    /// The properties that a broker may send in a packet (MQTT 5, 2.2.2.2, Table 2-4).
    static func permitted(in packet: ServerPacketType) -> Set<Property> {
        switch packet {
        case .connack:
            [
                .sessionExpiry, .assignedIdentifier, .serverKeepalive, .authenticationMethod, .authenticationData,
                .responseInformation, .serverReference, .reasonText, .receiveMaximum, .topicAliasMaximum, .maximumQoS,
                .retainAvailable, .user, .maximumPacket, .wildcardsAvailable, .identifiersAvailable, .sharedAvailable,
            ]
        case .publish:
            [
                .payloadFormat, .messageExpiry, .contentType, .responseTopic, .correlationData,
                .subscriptionIdentifier, .topicAlias, .user,
            ]
        case .puback, .suback: [.reasonText, .user]
        case .disconnect: [.serverReference, .reasonText, .user]
        case .pingresp: []
        }
    }
}

/// The properties of one packet. Each is checked, and the used values are stored.
struct Properties: Equatable {
    private var numbers: [Property: UInt32] = [:]
    private var ranges: [Property: Range<Int>] = [:]

    /// No properties.
    init() {}

    /// Reads the length of the properties and all of them (MQTT 5, 2.2.2).
    init(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor, of packet: ServerPacketType
    ) throws(ProtocolViolation) {
        let length = try cursor.variableInteger(octets, of: packet)
        let range = try cursor.read(packet) { (cursor) throws(OctetError) in try cursor.consume(length, of: octets) }
        var inner = OctetCursor(octets, in: range)
        let permitted = Property.permitted(in: packet)
        while inner.remaining > 0 {
            let identifier = try inner.variableInteger(octets, of: packet)
            guard let property = UInt8(exactly: identifier).flatMap(Property.init) else {
                throw .malformed("\(packet.name) with property \(identifier), which does not exist")
            }
            guard permitted.contains(property) else {
                throw .forbidden("\(packet.name) with property \(identifier), which it does not have")
            }
            let isFirst = numbers[property] == nil && ranges[property] == nil
            guard isFirst || property.mayRepeat else {
                throw .forbidden("\(packet.name) with property \(identifier) twice")
            }
            try read(property, octets, &inner, of: packet)
        }
    }

    private mutating func read(
        _ property: Property, _ octets: Span<UInt8>, _ cursor: inout OctetCursor, of packet: ServerPacketType
    ) throws(ProtocolViolation) {
        switch property.form {
        case .number(let count, let range):
            let number = try cursor.number(count, octets, of: packet)
            guard range.contains(number) else {
                throw .forbidden("\(packet.name) with the value \(number) of property \(property.rawValue)")
            }
            numbers[property] = number
        case .variable:
            guard try cursor.variableInteger(octets, of: packet) > 0 else {
                throw .forbidden("\(packet.name) with the value 0 of property \(property.rawValue)")
            }
        case .text: ranges[property] = try cursor.text(octets, of: packet)
        case .octets: ranges[property] = try cursor.counted(octets, of: packet)
        case .pair:
            _ = try cursor.text(octets, of: packet)
            _ = try cursor.text(octets, of: packet)
        }
    }

    /// The value of a number; nil if the packet does not have it.
    subscript(_ property: Property) -> UInt32? { numbers[property] }

    /// The place of a text or of octets in the packet; nil if the packet does not have it.
    func range(_ property: Property) -> Range<Int>? { ranges[property] }
}

// MARK: - Fields

extension OctetCursor {
    /// Reads a variable byte integer in its shortest encoding (MQTT 5, 1.5.5).
    mutating func variableInteger(
        _ octets: Span<UInt8>, of packet: ServerPacketType
    ) throws(ProtocolViolation) -> Int {
        var value = 0
        for digit in 0..<4 {
            let octet = try read(packet) { (cursor) throws(OctetError) in try cursor.u8(octets) }
            value |= Int(octet & 0x7F) << (7 * digit)
            guard octet & 0x80 == 0 else { continue }
            guard digit == 0 || octet != 0 else { break }
            return value
        }
        throw .malformed("\(packet.name) with a number that is not the shortest")
    }

    /// Reads a number of `count` octets, most significant first.
    mutating func number(
        _ count: Int, _ octets: Span<UInt8>, of packet: ServerPacketType
    ) throws(ProtocolViolation) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            let octet = try read(packet) { (cursor) throws(OctetError) in try cursor.u8(octets) }
            value = value << 8 | UInt32(octet)
        }
        return value
    }

    /// Skips octets that are preceded by their length, and returns their place (MQTT 5, 1.5.6).
    mutating func counted(
        _ octets: Span<UInt8>, of packet: ServerPacketType
    ) throws(ProtocolViolation) -> Range<Int> {
        try read(packet) { (cursor) throws(OctetError) in
            let count = Int(try cursor.u16BigEndian(octets))
            return try cursor.consume(count, of: octets)
        }
    }

    /// Skips a text, and returns its place: UTF-8 without U+0000 (MQTT 5, 1.5.4).
    mutating func text(
        _ octets: Span<UInt8>, of packet: ServerPacketType
    ) throws(ProtocolViolation) -> Range<Int> {
        let range = try counted(octets, of: packet)
        let isSound = octets.extracting(range).withUnsafeBufferPointer { text in
            !text.contains(0) && String(validating: text, as: UTF8.self) != nil
        }
        guard isSound else { throw .malformed("\(packet.name) with a text that is not UTF-8") }
        return range
    }

    /// Reads a field; a packet that ends within it is malformed.
    mutating func read<Value>(
        _ packet: ServerPacketType, _ body: (inout OctetCursor) throws(OctetError) -> Value
    ) throws(ProtocolViolation) -> Value {
        do throws(OctetError) { return try body(&self) } catch {
            throw .malformed("\(packet.name) that ends within a field")
        }
    }
}
