// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Timekeeping

/// An order of an operator about one credential.
public enum RevocationOrder: Hashable, Sendable {
    /// Refuse the credential through `until`, in local time; nil for ever.
    case revoke(OSSCredentialID, until: CivilTime?)
    /// Accept the credential again.
    case unrevoke(OSSCredentialID)

    /// The credential.
    public var credential: OSSCredentialID {
        switch self {
        case .revoke(let credential, _), .unrevoke(let credential): credential
        }
    }

    /// True for an order that ends a restriction, which is refused if it is late or its record has no room.
    public var mayRelease: Bool {
        switch self {
        case .revoke: false
        case .unrevoke: true
        }
    }

    /// The name of the command in event records; at most 8 octets.
    public var command: String {
        switch self {
        case .revoke: "revoke"
        case .unrevoke: "unrevoke"
        }
    }

    /// The detail in event records: the end that was ordered; empty for none.
    public var detail: String {
        guard case .revoke(_, let until?) = self else { return "" }
        return "until \(LocalMinute.text(until))"
    }
}

/// The result of a `RevocationOrder`.
public enum RevocationOutcome: Hashable, Sendable {
    /// The credential is refused through this local time, nil for ever, and the entry is on the disk. The end can be
    /// later than ordered: an order does not shorten a revocation.
    case revoked(until: CivilTime?)
    /// The credential is accepted again, and the change is on the disk.
    case unrevoked
    /// Not carried out. With `notKept` a revocation is in force nevertheless, until a restart at least.
    case refused(RevocationRefusal)
    /// The order waits for the disk; `ReaderEffect.revocation` answers it.
    case waits
}
