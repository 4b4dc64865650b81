// SPDX-License-Identifier: Apache-2.0

/// The input and output capability of a device (Core 5.4, Vol 3, Part H, 2.3.2).
public enum IOCapability: UInt8, Sendable, CaseIterable {
    /// Output of six digits.
    case displayOnly = 0x00
    /// Output of six digits, input of yes or no.
    case displayYesNo = 0x01
    /// Input of six digits.
    case keyboardOnly = 0x02
    /// Neither input nor output.
    case noInputNoOutput = 0x03
    /// Output and input of six digits.
    case keyboardDisplay = 0x04
}

/// The requirements of a side, the AuthReq octet (Core 5.4, Vol 3, Part H, 3.5.1).
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet with its reserved bits: the check values cover the octet as sent.
    public var rawValue: UInt8
    /// The requirements with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bonding: the low bit of Bonding_Flags. Bonding_Flags has two bits, and only 01 means bonding.
    public static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a man in the middle.
    public static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications; never set here.
    public static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// Support of h7 for keys of the other transport; never set here.
    public static let ct2 = AuthenticationRequirements(rawValue: 0x20)

    /// True if Bonding_Flags is 01; the values 10 and 11 are reserved.
    var asksForBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// The keys that a side distributes (Core 5.4, Vol 3, Part H, 3.6.1).
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// One bit for each kind of key.
    public var rawValue: UInt8
    /// The distribution with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Long-term key, EDIV and Rand; ignored with Secure Connections.
    public static let encryption = KeyDistribution(rawValue: 0x01)
    /// Identity resolving key and identity address.
    public static let identity = KeyDistribution(rawValue: 0x02)
    /// Signature resolving key (CSRK); never agreed to here. Signed writes are not supported: they require a counter
    /// stored at each write, otherwise they can be replayed.
    public static let signing = KeyDistribution(rawValue: 0x04)
    /// A BR/EDR link key derived from the long-term key; never agreed to here (BLURtooth, CVE-2020-15802).
    public static let link = KeyDistribution(rawValue: 0x08)
}

/// The six common fields of Pairing Request and Pairing Response (Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2).
public struct PairingFeatures: Equatable, Sendable {
    /// The input and output capability.
    public var ioCapability: IOCapability
    /// True if the other side's out-of-band data is available.
    public var hasOutOfBandData: Bool
    /// The authentication requirements.
    public var requirements: AuthenticationRequirements
    /// The maximum length of the encryption key in octets, 7 to 16.
    public var maximumKeySize: UInt8
    /// The keys that the central distributes.
    public var initiatorKeys: KeyDistribution
    /// The keys that the peripheral distributes.
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

    /// Appends the fields in the order of the PDU.
    func append(to buffer: inout [UInt8]) {
        buffer.append(ioCapability.rawValue)
        buffer.append(hasOutOfBandData ? 1 : 0)
        buffer.append(requirements.rawValue)
        buffer.append(maximumKeySize)
        buffer.append(initiatorKeys.rawValue)
        buffer.append(responderKeys.rawValue)
    }

    /// Appends the whole PDU in reverse order, as c1 requires.
    func append(mostSignificantFirstTo buffer: inout [UInt8], code: SecurityPDU.Code) {
        var pdu = [code.rawValue]
        append(to: &pdu)
        buffer.append(contentsOf: pdu.reversed())
    }
}
