// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// A message of Aliro over Bluetooth LE: protocol, identifier, length in two octets, payload. A unit of the channel has
/// one or more.
struct AliroLinkMessage {
    /// The messages that this reader knows, as protocol and identifier.
    enum Kind: UInt16 {
        /// A command APDU to the phone.
        case request = 0x0000
        /// The response APDU.
        case response = 0x0001
        case event = 0x0200
        case statusChanged = 0x0202
        case completed = 0x0203
        /// A request to lock or to unlock.
        case action = 0x0204
        /// The phone begins, with element A5.
        case initiation = 0x0205
        /// The phone begins in order to request an action.
        case initiationForAction = 0x0206
    }

    /// The most octets of a unit: the channel's MTU.
    static let maximumUnit = 512
    /// The most messages in a unit: an event before each of two others, and no reason for more.
    static let maximumCount = 4

    let kind: Kind
    /// The place of the payload in the unit.
    let payload: Range<Int>

    /// The messages of a unit, all of it.
    ///
    /// - Throws: `tooLong` for more octets or messages, `malformed` for one that is cut off or of no known kind, and
    ///   for an empty unit.
    static func messages(of unit: Span<UInt8>) throws(CardRefusal) -> [AliroLinkMessage] {
        guard unit.count <= maximumUnit else { throw .tooLong }
        var cursor = OctetCursor(unit)
        var messages: [AliroLinkMessage] = []
        while cursor.remaining > 0 || messages.isEmpty {
            guard messages.count < maximumCount else { throw .tooLong }
            let (number, payload): (UInt16, Range<Int>)
            do throws(OctetError) {
                number = try cursor.u16BigEndian(unit)
                payload = try cursor.consume(Int(try cursor.u16BigEndian(unit)), of: unit)
            } catch { throw .malformed }
            guard let kind = Kind(rawValue: number) else { throw .malformed }
            messages.append(AliroLinkMessage(kind: kind, payload: payload))
        }
        return messages
    }

    /// The header of a message with so many octets.
    static func header(_ kind: Kind, count: Int) -> [UInt8] {
        [UInt8(kind.rawValue >> 8), UInt8(kind.rawValue & 0xFF), UInt8(count >> 8), UInt8(count & 0xFF)]
    }

    /// A whole message; `payload` has less than 65,536 octets.
    static func message(_ kind: Kind, _ payload: [UInt8]) -> [UInt8] { header(kind, count: payload.count) + payload }

    /// An attribute of a payload.
    struct Attribute {
        let identifier: UInt8
        let value: [UInt8]
    }

    /// The attributes of a payload, in order: identifier, length, value.
    ///
    /// - Throws: `malformed` for one that is cut off or repeated.
    static func attributes(_ payload: [UInt8]) throws(CardRefusal) -> [Attribute] {
        let span = payload.span
        var cursor = OctetCursor(span)
        var attributes: [Attribute] = []
        while cursor.remaining > 0 {
            let (identifier, place): (UInt8, Range<Int>)
            do throws(OctetError) {
                identifier = try cursor.u8(span)
                place = try cursor.consume(Int(try cursor.u8(span)), of: span)
            } catch { throw .malformed }
            guard !attributes.contains(where: { $0.identifier == identifier }) else { throw .malformed }
            attributes.append(Attribute(identifier: identifier, value: Array(payload[place])))
        }
        return attributes
    }

    /// An event of the phone.
    enum Event: Equatable {
        /// The phone needs more time.
        case busy
        /// The phone ends the transaction.
        case error
        /// Another one, which changes nothing.
        case other
    }

    /// The event in a payload.
    static func event(_ payload: [UInt8]) throws(CardRefusal) -> Event {
        let attributes = try attributes(payload)
        if attributes.contains(where: { $0.identifier == 0x01 }) { return .error }
        return attributes.contains { $0.identifier == 0x00 } ? .busy : .other
    }

    /// The payload of an event with a general error of no named reason.
    static let generalError: [UInt8] = [0x01, 0x01, 0x00]
}

/// The state of a door, as phones are informed.
enum AliroDoorState: UInt8 {
    case secured = 0x00
    case unsecured = 0x01
    /// A panel decides about the door.
    case unknown = 0x82

    init(isUnlocked: Bool?) { self = isUnlocked.map { $0 ? .unsecured : .secured } ?? .unknown }
}
