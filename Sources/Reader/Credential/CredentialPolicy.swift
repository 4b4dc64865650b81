// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import Timekeeping

/// The reader's settings for decisions about credentials: its site and door, its groups and listed credentials.
public struct CredentialPolicy: Equatable, Sendable {
    /// The site number, from 1.
    public var siteID: UInt16
    /// The door number, from 1.
    public var doorID: UInt16
    /// The groups of the door.
    public var groups: [DoorGroup]
    /// The days on which schedules of groups hold only if they are for holidays. A credential's own schedules are its
    /// issuer's, and know no holidays.
    public var holidays = Holidays()
    /// True if OSS Standard Offline credentials are accepted; otherwise they are answered by −5.
    public var takesStandardOffline: Bool
    /// True if the master group, group 0, includes this door.
    public var takesMasterGroup: Bool
    /// True if intervention media open the door. They are not checked for door, group and schedule.
    public var takesInterventionMedia: Bool
    /// True if carried blacklists are added to the reader's.
    public var takesCarriedBlacklist: Bool
    /// The OSS Secure Identifier credentials that open the door.
    public var secureIdentifiers: Set<OSSCredentialID>

    /// Creates a policy with these values.
    public init(
        siteID: UInt16 = 1, doorID: UInt16 = 1, groups: [DoorGroup] = [], takesStandardOffline: Bool = true,
        takesMasterGroup: Bool = true, takesInterventionMedia: Bool = false, takesCarriedBlacklist: Bool = true,
        secureIdentifiers: Set<OSSCredentialID> = []
    ) {
        (self.siteID, self.doorID, self.groups) = (siteID, doorID, groups)
        (self.takesStandardOffline, self.takesCarriedBlacklist) = (takesStandardOffline, takesCarriedBlacklist)
        (self.takesMasterGroup, self.takesInterventionMedia) = (takesMasterGroup, takesInterventionMedia)
        self.secureIdentifiers = secureIdentifiers
    }
}

/// A credential whose signature or identity is proven. Whether it opens the door is decided by `CredentialPolicy`.
public enum AuthorizedCredential: Equatable, Sendable {
    /// An OSS Standard Offline credential.
    case standardOffline(OssSoMobile)
    /// An OSS Secure Identifier credential.
    case secureIdentifier(OssSidMobile)
    /// A contactless card with a proven identity.
    case card(CardEvidence)
}

extension AuthorizedCredential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind, without the credential's content; safe to log.
    public var description: String {
        switch self {
        case .standardOffline: "OSS-SO credential"
        case .secureIdentifier: "OSS-SID credential"
        case .card(let evidence): "\(evidence.kind.rawValue) card"
        }
    }

    /// Equal to `description`.
    public var debugDescription: String { description }
}
