/// One credit-based channel of a link, from its opening to its end.
///
/// Channel numbers are used again; the serial number does not repeat on the link, so what comes late for a channel
/// that is closed cannot reach the next one.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// The number of this end's endpoint.
    public let endpoint: L2CAPChannelID
    /// Counts the channels that the link has had.
    public let serial: UInt32

    /// The channel with this endpoint and serial number.
    public init(endpoint: L2CAPChannelID, serial: UInt32) {
        self.endpoint = endpoint
        self.serial = serial
    }

    /// `channel 3`: the serial number.
    public var description: String { "channel \(serial)" }
}

/// What is known of a channel when it is opened.
public struct ChannelDescription: Equatable, Sendable {
    /// The service that the central named.
    public var spsm: UInt16
    /// Whether it was opened by Credit Based Connection Request, and can be reconfigured (Core 5.4, Vol 3, Part A, 4.25).
    public var isEnhanced: Bool
    /// The longest SDU that the central takes.
    public var peerMTU: Int
    /// The longest SDU that this end takes.
    public var mtu: Int

    /// A channel with these properties.
    public init(spsm: UInt16, isEnhanced: Bool, peerMTU: Int, mtu: Int) {
        self.spsm = spsm
        self.isEnhanced = isEnhanced
        self.peerMTU = peerMTU
        self.mtu = mtu
    }
}

/// What became of an SDU.
public enum ChannelSendOutcome: Equatable, Sendable {
    /// It is queued, and is sent in order as the central gives credits.
    case accepted
    /// The channel's queue is full; `writable` follows when there is room.
    case busy
    /// There is no such channel.
    case gone
    /// It is longer than the central takes.
    case tooLong
}

/// What happened on the channels of a link.
public enum ChannelEvent: Equatable, Sendable {
    /// The central has opened a channel.
    case opened(ChannelID, ChannelDescription)
    /// A whole SDU has come; `value` is its range in the octets passed to `LinkChannels.receive`.
    case received(ChannelID, value: Range<Int>)
    /// An SDU was refused as busy before, and there is room again.
    case writable(ChannelID)
    /// The central takes longer SDUs from now on.
    case reconfigured(ChannelID, peerMTU: Int)
    /// The channel is closed, by whichever end; its identifier will not be seen again on the link.
    case closed(ChannelID)
}

/// Why a channel is not opened (Core 5.4, Vol 3, Part A, 4.23 and 4.26).
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

/// What became of a reconfiguration (Core 5.4, Vol 3, Part A, 4.28).
enum ReconfigurationResult: UInt16 {
    case success = 0x0000
    case mtuReduced = 0x0001
    case mpsReduced = 0x0002
    case invalidDestination = 0x0003
    case unacceptableParameters = 0x0004
}
