// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
import Octets
public import Reader
import Timekeeping

extension ReaderSettings {
    /// `[credentials]`: the credentials that open the door.
    public struct Credentials: Equatable, Sendable {
        /// `oss-so`
        public var takesStandardOffline = true
        /// `master-group`
        public var takesMasterGroup = true
        /// `intervention-media`
        public var takesInterventionMedia = false
        /// `groups`
        public var groups: [GroupLine] = []
        /// `sid-allow`
        public var secureIdentifiers: [OSSCredentialID] = []
        /// `carried-blacklist`
        public var takesCarriedBlacklist = true
        /// `blacklist-capacity`
        public var blacklistCapacity = Blacklist.defaultCapacity
        /// `card-kinds`
        public var cardKinds: [CardKind] = []
        /// `cards`; nil for no list.
        public var cards: String?
        /// `pkoc-reader`; empty for none.
        public var pkocReader = ""
        /// `pkoc-issuers`
        public var pkocIssuers: [PKOCIssuerLine] = []
    }

    /// The cards that the poll role reads.
    public var cardReading: CardReading {
        var reading = CardReading()
        reading.kinds = credentials.cardKinds
        reading.pkocReader = Hexadecimal.octets(credentials.pkocReader).flatMap(PKOCReaderID.init) ?? .none
        reading.pkocIssuers = credentials.pkocIssuers.map(\.issuer)
        reading.hasPKOCFragments = advertising.hasPKOCFragments
        return reading
    }

    /// The policy for decisions about credentials.
    public var credentialPolicy: CredentialPolicy {
        var policy = CredentialPolicy(
            siteID: UInt16(clamping: reader.siteID), doorID: UInt16(clamping: reader.doorID),
            takesStandardOffline: credentials.takesStandardOffline,
            takesMasterGroup: credentials.takesMasterGroup,
            takesInterventionMedia: credentials.takesInterventionMedia,
            takesCarriedBlacklist: credentials.takesCarriedBlacklist,
            secureIdentifiers: Set(credentials.secureIdentifiers))
        policy.holidays = Holidays(reader.holidays.map(\.holiday))
        for line in credentials.groups {
            let schedules = line.schedule.map { [$0] } ?? []
            if let group = policy.groups.firstIndex(where: { $0.id == line.id }) {
                policy.groups[group].schedules += schedules
            } else {
                policy.groups.append(DoorGroup(id: line.id, schedules: schedules))
            }
        }
        return policy
    }

    /// True if Aliro's phones are read, over NFC or Bluetooth LE.
    public var readsAliro: Bool { credentials.cardKinds.contains(.aliro) || advertising.modes.contains(.aliro) }

    /// The polling frame: the written one, or that of Aliro's group; nil for none.
    public var pollingFrame: [UInt8]? {
        if let written = nfc.pollingFrame { return PollingFrame(written)?.octets }
        guard credentials.cardKinds.contains(.aliro), let identifier = aliro.identifier else { return nil }
        return AliroECP.frame(identifier, isAuthenticated: aliro.authentication == .always)
    }
}
