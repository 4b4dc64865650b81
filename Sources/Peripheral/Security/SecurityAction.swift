// SPDX-License-Identifier: Apache-2.0

import Crypto
import Timekeeping

/// An action for the link of the last input.
public enum SecurityAction: Equatable, Sendable {
    /// Send this PDU on the Security Manager channel.
    case send(SecurityPDU)
    /// Show these six digits until `paired` or `failed`, with leading zeros.
    case displayPasskey(UInt32)
    /// Request entry of the six digits shown by the central; the answer goes to `enterPasskey`.
    case requestPasskey
    /// Show these six digits, and ask the user to compare them with the central's; the answer goes to
    /// `answerComparison`.
    case compare(UInt32)
    /// The security level of the link has changed: pass it to the access checks.
    case levelChanged(LinkSecurityLevel)
    /// The bond of this identity was removed to make room for the pairing's bond: remove the client's states.
    case bondRemoved(BluetoothAddress)
    /// The pairing is complete; `storeError` is the reason if no bonding was offered although the central asked for it:
    /// the pairing then holds for this link only, at both sides.
    case paired(storeError: BondStoreError?)
    /// The pairing failed or was refused.
    case failed(PairingFailure)
    /// Disconnect the link with this reason.
    case disconnect(HCIStatus)
}

/// The cause of a failed pairing.
public enum PairingFailure: Error, Equatable, Sendable {
    /// The pairing was refused before it began.
    case refused(PairingFailureReason)
    /// This side ended the pairing.
    case ended(PairingFailureReason)
    /// The central ended the pairing.
    case endedByPeer(PairingFailureReason)
    /// A bond with this identity exists and is retained, because the link is not encrypted with its key: the peer has
    /// lost the key or is another device. The peer may pair within the operator's window. The reason is
    /// `pairingNotSupported` if the address identifies the peer, and `keyRejected` if the peer distributed the
    /// identity.
    case bondKept(BluetoothAddress, PairingFailureReason)
    /// The keys were exchanged and could not be stored, although the store reported no error before the pairing.
    case notStored(BondStoreError)
    /// One step exceeded 30 seconds (Core 5.4, Vol 3, Part H, 3.4).
    case timedOut
    /// Encryption with the key of the pairing failed.
    case notEncrypted
}

/// The inputs and outputs of a pairing: randomness and time in, actions out.
struct SecurityPort {
    var random: any RandomSource
    var now = Instant.origin
    var actions: [SecurityAction] = []

    mutating func emit(_ action: SecurityAction) { actions.append(action) }
}
