public import Peripheral

/// A client's wish to read a value that the device makes when it is asked.
public struct ReadRequest: Sendable {
    /// The client's link.
    public let link: LinkID
    /// Where in the value the client goes on reading. The answer is the whole value all the same.
    public let offset: Int
    let id: AttributeRequestID
}

/// How a device answers a `ReadRequest`.
public enum ReadAnswer: Equatable, Sendable {
    /// The whole value, at most 512 octets; for a longer one the client is told Unlikely Error.
    case value([UInt8])
    /// An error; 0x80 to 0x9F are the device's own (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case refuse(ATTErrorCode)
    /// `DeviceContext.answer` will be called, within `GATTServer.Configuration.answerTime`.
    case later
}

/// What a client has written, or wants to write.
public struct WriteRequest: Sendable {
    /// The client's link.
    public let link: LinkID
    /// The value, whole, at most as long as its characteristic takes.
    public let value: [UInt8]
    /// Whether the client waits for an answer. What it wrote by a command cannot be refused: the answer is dropped.
    public var wantsAnswer: Bool { id != nil }
    let characteristic: Int
    let id: AttributeRequestID?
}

/// How a device answers a `WriteRequest`.
public enum WriteAnswer: Equatable, Sendable {
    /// The value is taken. It is what clients read from then on, unless `onRead` makes that.
    case accept
    /// An error; 0x80 to 0x9F are the device's own (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case refuse(ATTErrorCode)
    /// `DeviceContext.accept` or `refuse` will be called, within `GATTServer.Configuration.answerTime`.
    case later
}

/// What happens while a client pairs, and what the device may have to show or to ask its user.
public enum PairingNotice: Equatable, Sendable {
    /// Show these six digits until the pairing is over; leading zeros count.
    case showPasskey(UInt32)
    /// Ask for the six digits that the phone shows, and give them to `DeviceContext.enterPasskey`.
    case askPasskey
    /// Show these six digits, ask whether the phone shows the same, and say it to `DeviceContext.answerComparison`.
    case compare(UInt32)
    /// The link is protected like this from now on.
    case secured(LinkSecurityLevel)
    /// The pairing is complete. If its keys could not be kept, why; it then holds for this link only.
    case paired(notKept: BondStoreError?)
    /// There is no pairing.
    case failed(PairingFailure)
}
