// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// A client's request to read a value that `onRead` supplies.
public struct ReadRequest: Sendable {
    /// The client's link.
    public let link: LinkID
    /// The offset at which the client continues to read. The answer is the whole value regardless.
    public let offset: Int
    let id: AttributeRequestID
}

/// The answer to a `ReadRequest`.
public enum ReadAnswer: Equatable, Sendable {
    /// The whole value, at most 512 octets; a longer one is answered with Unlikely Error.
    case value([UInt8])
    /// An error; 0x80 to 0x9F are Application Errors (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case refuse(ATTErrorCode)
    /// No answer yet: `DeviceContext.answer` or `refuse` follows within `GATTServer.Configuration.answerTime`.
    case later
}

/// A client's Write Request or Write Command.
public struct WriteRequest: Sendable {
    /// The client's link.
    public let link: LinkID
    /// The whole value, at most the characteristic's maximum length.
    public let value: [UInt8]
    /// True if the client waits for a response. A Write Command cannot be refused: the answer is discarded.
    public var wantsAnswer: Bool { id != nil }
    let characteristic: Int
    let id: AttributeRequestID?
}

/// The answer to a `WriteRequest`.
public enum WriteAnswer: Equatable, Sendable {
    /// Accepts the value. Subsequent reads return it, unless `onRead` supplies the value.
    case accept
    /// An error; 0x80 to 0x9F are Application Errors (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case refuse(ATTErrorCode)
    /// No answer yet: `DeviceContext.accept` or `refuse` follows within `GATTServer.Configuration.answerTime`.
    case later
}

/// An event of a pairing, some of which require the device to show a number or to ask its user.
public enum PairingNotice: Equatable, Sendable {
    /// Show these six digits, with leading zeros, until the pairing has ended.
    case showPasskey(UInt32)
    /// Ask for the six digits that the phone shows, and pass them to `DeviceContext.enterPasskey`.
    case askPasskey
    /// Show these six digits, ask whether the phone shows the same, and call `DeviceContext.answerComparison`.
    case compare(UInt32)
    /// The link has reached this security level.
    case secured(LinkSecurityLevel)
    /// The bond of this identity was removed: the store was full, no link used it, and this link's peer has bonded.
    case bondRemoved(BluetoothAddress)
    /// The pairing is complete. `storeError` is the reason why no bonding was offered although the peer asked for it;
    /// the pairing then holds for this link only, at both sides.
    case paired(storeError: BondStoreError?)
    /// The pairing failed.
    case failed(PairingFailure)
}
