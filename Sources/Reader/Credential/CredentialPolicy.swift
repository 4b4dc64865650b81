public import AccessProtocol

/// What a reader knows to decide about credentials: which door it is, and whom it lists.
public struct CredentialPolicy: Equatable, Sendable {
    /// The site, from 1.
    public var siteID: UInt16
    /// The door, from 1.
    public var doorID: UInt16
    /// The groups that the door is in.
    public var groups: [DoorGroup]
    /// Whether OSS Standard Offline credentials are taken at all; if not, they are answered by −5.
    public var takesStandardOffline: Bool
    /// Whether the master group, group 0, opens the door as a group that it is in.
    public var takesMasterGroup: Bool
    /// Whether intervention media open the door, which ask for no door, group or schedule.
    public var takesInterventionMedia: Bool
    /// Whether the blacklist that a credential carries is taken over.
    public var takesCarriedBlacklist: Bool
    /// The OSS Secure Identifier credentials that open the door: none unless listed.
    public var secureIdentifiers: Set<OSSCredentialID>

    /// A policy with these parts.
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

/// A credential whose signature is good. Whether it opens the door is another question.
public enum AuthorizedCredential: Equatable, Sendable {
    /// An OSS Standard Offline credential.
    case standardOffline(OssSoMobile)
    /// An OSS Secure Identifier credential.
    case secureIdentifier(OssSidMobile)
}

extension AuthorizedCredential: CustomStringConvertible, CustomDebugStringConvertible {
    /// What is safe in a log: not the credential.
    public var description: String {
        switch self {
        case .standardOffline: "OSS-SO credential"
        case .secureIdentifier: "OSS-SID credential"
        }
    }

    /// The same.
    public var debugDescription: String { description }
}
