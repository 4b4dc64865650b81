// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// The identifier of a phone that the reader serves: its transport, and a number that counts the phones of that.
public struct PhoneID: Hashable, Sendable {
    /// The transport, by its name in events.
    public let channel: AuditChannel
    /// The number of the link or of the tap.
    public let number: UInt32
    /// The host's link; nil for every transport but Bluetooth LE.
    public let link: LinkID?

    /// The phone with this number on a transport without links of the host.
    public init(_ channel: AuditChannel, number: UInt32) {
        (self.channel, self.number, link) = (channel, number, nil)
    }

    private init(_ id: LinkID) { (channel, number, link) = (.bluetooth, id.generation, id) }

    /// A phone over Bluetooth LE, on this link.
    public static func link(_ id: LinkID) -> PhoneID { PhoneID(id) }

    /// A phone that touches the reader; taps are numbered from 1.
    public static func tap(_ number: UInt32) -> PhoneID { PhoneID(.nfc, number: number) }
}

extension PhoneID: CustomStringConvertible {
    /// `link 17` or `tap 3`.
    public var description: String { link?.description ?? "\(channel == .nfc ? "tap" : channel.name) \(number)" }
}
