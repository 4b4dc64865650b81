// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// DataOperationTypeEnum.
enum LockDataOperation: UInt8 {
    case add = 0
    case clear
    case modify
}

/// A change for the event LockUserChange.
struct LockDataChange: Sendable {
    /// LockDataTypeEnum.
    enum Kind: Sendable {
        case user
        case credential(LockCredentialKind)

        var rawValue: UInt8 {
            switch self {
            case .user: 2
            case .credential(let kind): kind.rawValue + 5
            }
        }
    }

    let kind: Kind
    let operation: LockDataOperation
    let user: UInt16
    let index: UInt16

    init(_ kind: Kind, _ operation: LockDataOperation, user: UInt16, index: UInt16) {
        self.kind = kind
        self.operation = operation
        self.user = user
        self.index = index
    }
}

/// A change of users that waits for the program.
struct PendingUsers: Sendable {
    /// The number of the present request.
    var id: UInt32
    /// The changes of PINs to be recorded after the reader has stored its part.
    var unrecorded: [PINChange]
    /// True if the reader has stored its part.
    var isProvisioned = false
    /// The users at the time of the command.
    let base: LockUsers
    let users: LockUsers
    let changes: [LockDataChange]
    let author: Accessor
    let ticket: CommandTicket
    let outcome: CommandOutcome
    let full: CommandOutcome
    let refused: CommandOutcome
    /// The time at which it is refused without an answer.
    let due: Instant
}
