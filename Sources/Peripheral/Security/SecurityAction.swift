import Crypto
import Timekeeping

/// What the Security Manager wants done on the link that it was last given.
public enum SecurityAction: Equatable, Sendable {
    /// Send this on the Security Manager's channel.
    case send(SecurityPDU)
    /// Show these six digits until `paired` or `failed`; leading zeros count.
    case displayPasskey(UInt32)
    /// Ask for the six digits that the central shows; the answer goes to `enterPasskey`.
    case requestPasskey
    /// Show these six digits and ask whether the central shows the same; the answer goes to `answerComparison`.
    case compare(UInt32)
    /// The link's level is another one now: give it to whatever guards access.
    case levelChanged(LinkSecurityLevel)
    /// The pairing is complete. If the keys could not be kept, why.
    case paired(notKept: BondStoreError?)
    /// There is no pairing any more.
    case failed(PairingFailure)
    /// End the link, with this reason.
    case disconnect(HCIStatus)
}

/// How a pairing came to nothing.
public enum PairingFailure: Error, Equatable, Sendable {
    /// It was refused before it began.
    case refused(PairingFailureReason)
    /// This side ended it.
    case ended(PairingFailureReason)
    /// The central ended it.
    case endedByPeer(PairingFailureReason)
    /// This side keeps its bond with this identity, whose key the peer has not shown: the peer has lost it, or is another.
    /// In an operator's window it may pair. The reason is `pairingNotSupported` where the address tells the identity, and
    /// `keyRejected` where the peer distributes it.
    case bondKept(BluetoothAddress, PairingFailureReason)
    /// The central, or the user, took 30 seconds for one step (Core 5.4, Vol 3, Part H, 3.4).
    case timedOut
    /// The link could not be encrypted with the key that was made.
    case notEncrypted
}

/// What a pairing takes from outside, and where it puts what is to be done.
struct SecurityPort {
    var random: any RandomSource
    var now = Instant.origin
    var actions: [SecurityAction] = []

    mutating func emit(_ action: SecurityAction) { actions.append(action) }
}
