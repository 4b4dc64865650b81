/// What a device can show and take in (Core 5.4, Vol 3, Part H, 2.3.2).
public enum IOCapability: UInt8, Sendable, CaseIterable {
    /// It can show six digits.
    case displayOnly = 0x00
    /// It can show six digits, and take a yes or a no.
    case displayYesNo = 0x01
    /// Six digits can be entered.
    case keyboardOnly = 0x02
    /// Neither.
    case noInputNoOutput = 0x03
    /// It can show six digits, and six digits can be entered.
    case keyboardDisplay = 0x04
}

/// What a side asks of a pairing: the AuthReq octet (Core 5.4, Vol 3, Part H, 3.5.1).
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet, reserved bits included: check values are made over the octet as it was sent.
    public var rawValue: UInt8
    /// The requirements with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The keys are to be kept: the two bits of Bonding_Flags, of which only 01 means bonding.
    public static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against somebody in the middle.
    public static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications; never set here.
    public static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// h7 for keys of the other transport; never set here.
    public static let ct2 = AuthenticationRequirements(rawValue: 0x20)

    /// Whether Bonding_Flags say bonding; the values 10 and 11 are reserved.
    var asksForBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// The keys that a side gives to the other (Core 5.4, Vol 3, Part H, 3.6.1).
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// One bit for each kind of key.
    public var rawValue: UInt8
    /// The distribution with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Long-term key, EDIV and Rand; means nothing with Secure Connections.
    public static let encryption = KeyDistribution(rawValue: 0x01)
    /// Identity resolving key and identity address.
    public static let identity = KeyDistribution(rawValue: 0x02)
    /// Signature resolving key (CSRK); never agreed to here. Signed writes are not offered: without a counter that is
    /// kept at each write, an old one could be sent again.
    public static let signing = KeyDistribution(rawValue: 0x04)
    /// A link key for BR/EDR out of the long-term key; never agreed to here (BLURtooth, CVE-2020-15802).
    public static let link = KeyDistribution(rawValue: 0x08)
}

/// The six fields that Pairing Request and Pairing Response have in common (Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2).
public struct PairingFeatures: Equatable, Sendable {
    /// What it can show and take in.
    public var ioCapability: IOCapability
    /// Whether it has the other side's out-of-band data.
    public var hasOutOfBandData: Bool
    /// What it asks for.
    public var requirements: AuthenticationRequirements
    /// The longest encryption key it takes, 7 to 16 octets.
    public var maximumKeySize: UInt8
    /// What the central gives.
    public var initiatorKeys: KeyDistribution
    /// What the peripheral gives.
    public var responderKeys: KeyDistribution

    /// The features with these fields.
    public init(
        ioCapability: IOCapability, hasOutOfBandData: Bool = false, requirements: AuthenticationRequirements,
        maximumKeySize: UInt8 = 16, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
    ) {
        self.ioCapability = ioCapability
        self.hasOutOfBandData = hasOutOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }

    /// Appends the fields as they are sent.
    func append(to buffer: inout [UInt8]) {
        buffer.append(ioCapability.rawValue)
        buffer.append(hasOutOfBandData ? 1 : 0)
        buffer.append(requirements.rawValue)
        buffer.append(maximumKeySize)
        buffer.append(initiatorKeys.rawValue)
        buffer.append(responderKeys.rawValue)
    }

    /// Appends the whole PDU the other way round, as c1 wants it.
    func append(mostSignificantFirstTo buffer: inout [UInt8], code: SecurityPDU.Code) {
        buffer.append(responderKeys.rawValue)
        buffer.append(initiatorKeys.rawValue)
        buffer.append(maximumKeySize)
        buffer.append(requirements.rawValue)
        buffer.append(hasOutOfBandData ? 1 : 0)
        buffer.append(ioCapability.rawValue)
        buffer.append(code.rawValue)
    }
}
