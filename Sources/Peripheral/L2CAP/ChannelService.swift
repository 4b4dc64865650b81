/// Something that a device offers over credit-based channels: what a central may open, and how much of it
/// (Core 5.4, Vol 3, Part A, 4.22, 4.25).
///
/// Every number is held to what the specification and the host's memory allow.
public struct ChannelService: Equatable, Sendable {
    /// The two ways to open a channel.
    public struct Modes: OptionSet, Hashable, Sendable {
        /// One bit for each way.
        public var rawValue: UInt8
        /// The ways with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// One channel for each LE Credit Based Connection Request (4.22).
        public static let creditBased = Modes(rawValue: 1)
        /// Up to five for each Credit Based Connection Request (4.25); they can be reconfigured.
        public static let enhanced = Modes(rawValue: 2)
    }

    /// The SPSM of the Enhanced Attribute protocol (Assigned Numbers, 2.5).
    public static let enhancedAttributeProtocol: UInt16 = 0x0027

    /// The number that the central names, 0x0001 to 0x00FF; from 0x0080 on it is the device's to choose.
    public let spsm: UInt16
    /// How the channels may be opened.
    public let modes: Modes
    /// The longest SDU that is taken: 23, or 64 where `modes` has `enhanced`, to 65535 octets.
    public let mtu: Int
    /// The longest payload of a K-frame that is taken: as `mtu`, to `ChannelLimits.maximumMPS` octets.
    public let mps: Int
    /// How many K-frames the central may send ahead, 1 to 65535. Together with `mps` it bounds what still comes after
    /// the device has paused a channel.
    public let credits: Int
    /// What the link must have before a channel is opened.
    public let security: ChannelSecurity
    /// How many channels one link may have, 1 to `ChannelLimits.perLink`.
    public let maximumPerLink: Int
    /// The smallest MTU of the central with which the service makes sense; 0 for any that the specification allows.
    public let minimumPeerMTU: Int
    /// How many octets of SDUs may wait to be sent on one channel. One SDU is always taken when none waits.
    public let queueOctets: Int

    /// A service with these properties, each held to its range.
    public init(
        spsm: UInt16, modes: Modes = [.creditBased, .enhanced], mtu: Int = 512, mps: Int = 247, credits: Int = 8,
        security: ChannelSecurity = .none, maximumPerLink: Int = 1, minimumPeerMTU: Int = 0, queueOctets: Int = 4096
    ) {
        let least = modes.contains(.enhanced) ? ChannelLimits.leastEnhanced : ChannelLimits.least
        self.spsm = spsm
        self.modes = modes
        self.mtu = min(max(mtu, least), Int(UInt16.max))
        self.mps = min(max(mps, least), ChannelLimits.maximumMPS)
        self.credits = min(max(credits, 1), ChannelLimits.maximumCredits)
        self.security = security
        self.maximumPerLink = min(max(maximumPerLink, 1), ChannelLimits.perLink)
        self.minimumPeerMTU = minimumPeerMTU
        self.queueOctets = max(queueOctets, 0)
    }
}

/// What a link must have before a channel is opened on it (Core 5.4, Vol 3, Part C, 10.3.1, 10.3.2).
public struct ChannelSecurity: Equatable, Sendable {
    /// The link is encrypted.
    public var needsEncryption: Bool
    /// The key was made by a model that protects against somebody in the middle. Includes encryption.
    public var needsAuthentication: Bool
    /// The key was made by LE Secure Connections. Includes encryption.
    public var needsSecureConnections: Bool
    /// The fewest octets of the key; 0 does not ask. More than 0 includes encryption.
    public var minimumKeySize: Int
    /// The device has allowed channels to the link (`Host.authorizeChannels`).
    public var needsAuthorization: Bool

    /// These demands; none, by default.
    public init(
        needsEncryption: Bool = false, needsAuthentication: Bool = false, needsSecureConnections: Bool = false,
        minimumKeySize: Int = 0, needsAuthorization: Bool = false
    ) {
        self.needsEncryption = needsEncryption
        self.needsAuthentication = needsAuthentication
        self.needsSecureConnections = needsSecureConnections
        self.minimumKeySize = minimumKeySize
        self.needsAuthorization = needsAuthorization
    }

    /// Any link.
    public static let none = ChannelSecurity()
    /// An encrypted link.
    public static let encrypted = ChannelSecurity(needsEncryption: true)
    /// An encrypted link whose key protects against somebody in the middle.
    public static let authenticated = ChannelSecurity(needsEncryption: true, needsAuthentication: true)

    /// What is missing first; nil if nothing is. Without encryption the central is to pair, or to encrypt with the key
    /// that it has (Vol 3, Part C, 10.3.1).
    func refusal(at level: LinkSecurityLevel, isAuthorized: Bool) -> ChannelResult? {
        if needsEncryption || needsAuthentication || needsSecureConnections || minimumKeySize > 0 {
            guard level.isEncrypted else {
                return level.isBonded ? .insufficientEncryption : .insufficientAuthentication
            }
            guard level.isAuthenticated || !needsAuthentication, level.isSecureConnections || !needsSecureConnections
            else { return .insufficientAuthentication }
            guard level.keySize >= minimumKeySize else { return .keyTooShort }
        }
        return isAuthorized || !needsAuthorization ? nil : .insufficientAuthorization
    }
}

/// Limits of credit-based channels, each with its reason.
public enum ChannelLimits {
    /// The smallest MTU and MPS of a channel (Core 5.4, Vol 3, Part A, 4.22).
    static let least = 23
    /// The smallest MTU and MPS of an enhanced channel (4.25).
    static let leastEnhanced = 64
    /// The most channels of one request (4.25, 4.27).
    static let perRequest = 5
    /// The credits that either end may have (4.22, 4.24).
    static let maximumCredits = 65_535
    /// The longest K-frame payload, either way: four data PDUs of 251 octets, less the header. A longer one saves less
    /// than half a percent, and keeps everything else of the link waiting.
    public static let maximumMPS = 1000
    /// Channels of one link: five enhanced bearers of ATT, and more services than a device has.
    public static let perLink = 16
    /// Signalling answers that may wait on one link; a central asks once at a time, and may disconnect several channels.
    static let waitingResponses = 8
    /// RTX, for which 1 to 60 s are allowed (6.2.1); also the 30 s in which a parameter request is not repeated (Vol 3,
    /// Part C, 9.3.9).
    public static let responseTimeout = Duration.seconds(30)
    /// The channel numbers that are given out on LE (2.1, table 2.3).
    static let dynamic: ClosedRange<UInt16> = 0x0040...0x007F
}
