// SPDX-License-Identifier: Apache-2.0

/// A phone with an Aliro credential over Bluetooth LE: units of its channel in and out. Its APDUs are those of `phone`.
public struct AliroLinkPhone: Sendable {
    /// The phone's credential, and its APDUs.
    public var phone: AliroPhone
    /// The messages of the reader other than commands, with their headers, in the clear.
    public private(set) var notified: [[UInt8]] = []
    private var channel: AliroPhoneChannel?

    /// The value that a phone writes before it opens the channel: version 1.0, no features.
    public static let version: [UInt8] = [0x01, 0x00, 0x01, 0x00]
    /// The content of requests: attribute 00 with the action.
    public static let (unlock, lock) = ([0x00, 0x01, 0x01] as [UInt8], [0x00, 0x01, 0x00] as [UInt8])
    private static let tagCount = 16

    /// This phone over Bluetooth LE.
    public init(_ phone: AliroPhone) {
        self.phone = phone
        self.phone.isOverBluetooth = true
    }

    /// A message in the clear. `kind` is its protocol and identifier.
    public static func message(_ kind: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        header(kind, count: payload.count) + payload
    }

    /// The first message of a new connection, in order to request an action or not.
    public mutating func initiate(forAction: Bool = true) -> [UInt8] {
        phone.connect()
        (channel, notified) = (nil, [])
        return Self.message([0x02, forAction ? 0x06 : 0x05], AliroWire.element(0x00, phone.application))
    }

    /// The response to the reader's unit of one message; nil for one without a response.
    public mutating func respond(to unit: [UInt8]) -> [UInt8]? {
        if unit.starts(with: [0x00, 0x00]) {
            return Self.message([0x00, 0x01], phone.respond(to: Array(unit.dropFirst(4))))
        }
        notified.append(opened(unit) ?? unit)
        return nil
    }

    /// The message of a sealed unit with its plaintext; nil for one that does not open.
    private mutating func opened(_ unit: [UInt8]) -> [UInt8]? {
        guard unit.count >= 4 + Self.tagCount, var channel = channel ?? phone.bluetoothChannel else { return nil }
        let header = Self.header([unit[0], unit[1]], count: unit.count - 4 - Self.tagCount)
        guard let plaintext = channel.open(Array(unit[4...]), header: header) else { return nil }
        self.channel = channel
        return header + plaintext
    }

    /// A sealed message; nil before there are keys.
    public mutating func sealed(_ kind: [UInt8], _ plaintext: [UInt8]) -> [UInt8]? {
        guard var channel = channel ?? phone.bluetoothChannel else { return nil }
        defer { self.channel = channel }
        return Self.message(kind, channel.seal(plaintext, header: Self.header(kind, count: plaintext.count)))
    }

    /// The protocol, the message and the number of octets that follow.
    private static func header(_ kind: [UInt8], count: Int) -> [UInt8] {
        kind + [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }
}
