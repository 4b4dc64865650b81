// SPDX-License-Identifier: Apache-2.0

/// The identifier of a credit-based channel of a link.
///
/// Channel numbers are reused; the serial number is not repeated on the link, so late data for a closed channel cannot
/// reach the next one.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// The local channel ID.
    public let endpoint: L2CAPChannelID
    /// The number of the channel, counted per link.
    public let serial: UInt32

    /// The channel with this endpoint and serial number.
    public init(endpoint: L2CAPChannelID, serial: UInt32) {
        self.endpoint = endpoint
        self.serial = serial
    }

    /// `channel 3`: the serial number.
    public var description: String { "channel \(serial)" }
}

/// The properties of an opened channel.
public struct ChannelDescription: Equatable, Sendable {
    /// The SPSM requested by the central.
    public var spsm: UInt16
    /// True if it was opened by Credit Based Connection Request, and can be reconfigured (Core 5.4, Vol 3, Part A,
    /// 4.25).
    public var isEnhanced: Bool
    /// The maximum SDU length of the central.
    public var peerMTU: Int
    /// The local maximum SDU length.
    public var mtu: Int

    /// A channel with these properties.
    public init(spsm: UInt16, isEnhanced: Bool, peerMTU: Int, mtu: Int) {
        self.spsm = spsm
        self.isEnhanced = isEnhanced
        self.peerMTU = peerMTU
        self.mtu = mtu
    }
}

/// The result of sending an SDU.
public enum ChannelSendOutcome: Equatable, Sendable {
    /// It is queued, and is sent in order within the credits of the central.
    case accepted
    /// The channel's queue is full; `writable` follows when there is room.
    case busy
    /// The channel does not exist.
    case gone
    /// It exceeds the central's MTU.
    case tooLong
}

/// An event of the channels of a link.
public enum ChannelEvent: Equatable, Sendable {
    /// The central has opened a channel.
    case opened(ChannelID, ChannelDescription)
    /// A complete SDU was received; `value` is its range in the octets passed to `LinkChannels.receive`.
    case received(ChannelID, value: Range<Int>)
    /// The channel has room again after an SDU was refused as busy.
    case writable(ChannelID)
    /// The central accepts longer SDUs.
    case reconfigured(ChannelID, peerMTU: Int)
    /// The channel was closed by either end; its identifier is not used again on the link.
    case closed(ChannelID)
}

/// The result of a request to open a channel (Core 5.4, Vol 3, Part A, 4.23 and 4.26).
struct ChannelResult: RawRepresentable, Equatable {
    var rawValue: UInt16
    init(rawValue: UInt16) { self.rawValue = rawValue }

    static let success = ChannelResult(rawValue: 0x0000)
    static let serviceNotSupported = ChannelResult(rawValue: 0x0002)
    static let noResources = ChannelResult(rawValue: 0x0004)
    static let insufficientAuthentication = ChannelResult(rawValue: 0x0005)
    static let insufficientAuthorization = ChannelResult(rawValue: 0x0006)
    static let keyTooShort = ChannelResult(rawValue: 0x0007)
    static let insufficientEncryption = ChannelResult(rawValue: 0x0008)
    static let invalidSource = ChannelResult(rawValue: 0x0009)
    static let sourceInUse = ChannelResult(rawValue: 0x000A)
    static let unacceptableParameters = ChannelResult(rawValue: 0x000B)
    /// Enhanced channels only.
    static let invalidParameters = ChannelResult(rawValue: 0x000C)
}

/// The result of a reconfiguration (Core 5.4, Vol 3, Part A, 4.28).
enum ReconfigurationResult: UInt16 {
    case success = 0x0000
    case mtuReduced = 0x0001
    case mpsReduced = 0x0002
    case invalidDestination = 0x0003
    case unacceptableParameters = 0x0004
}
