// SPDX-License-Identifier: Apache-2.0

/// Status codes of credentials on cards and phones: Standard Offline (SO), Site ID (SID) and DESFire.
extension StatusCode {
    /// −200: a credential id is malformed. Sent: no name of a credential.
    public static let credentialID = StatusCode(rawValue: -200)
    /// −201: the MCP library failed. Never: cards; this version reads none.
    public static let mcpLibrary = StatusCode(rawValue: -201)

    /// −230: SO: an unsupported major version. Sent: an OSS-SO credential of a later version.
    public static let standardOfflineMajorVersion = StatusCode(rawValue: -230)
    /// −231: SO: an unknown credential type. Sent: an OSS-SO credential of another type, or an intervention medium
    /// where they are not switched on.
    public static let standardOfflineCredentialType = StatusCode(rawValue: -231)
    /// −233: SO: an invalid timestamp. Sent: a time that does not exist.
    public static let standardOfflineTimestamp = StatusCode(rawValue: -233)
    /// −234: SO: an invalid time period. Sent: an invalid part of a day.
    public static let standardOfflinePeriod = StatusCode(rawValue: -234)
    /// −235: SO: the site id is 0. Sent: site 0.
    public static let standardOfflineSite = StatusCode(rawValue: -235)
    /// −236: SO: access neither by door nor by door group. Never: both values of the bit mean something.
    public static let standardOfflineAccessBy = StatusCode(rawValue: -236)
    /// −237: SO: a door refers to a missing schedule. Sent: a door entry with a schedule that is not there.
    public static let standardOfflineDoorSchedule = StatusCode(rawValue: -237)
    /// −238: SO: a wrong number of time periods. Never: only a writer of a credential's files gets them.
    public static let standardOfflinePeriodCount = StatusCode(rawValue: -238)
    /// −239: SO: a schedule number out of range. Never: the entry that names the schedule is −237 before.
    public static let standardOfflineScheduleNumber = StatusCode(rawValue: -239)
    /// −242: SO: an unknown event id. Never: only a writer of a credential's files gets them.
    public static let standardOfflineEventID = StatusCode(rawValue: -242)
    /// −243: SO extension file: larger than the limit. Sent: an extension file above the limit.
    public static let extensionTooLarge = StatusCode(rawValue: -243)
    /// −244: SO extension file: an invalid size field. Sent: an extension file with a wrong size.
    public static let extensionInvalidSize = StatusCode(rawValue: -244)
    /// −245: SO extension file: too many features. Sent: an extension file with more than 8 features.
    public static let extensionTooManyFeatures = StatusCode(rawValue: -245)
    /// −246: SO extension file: a value larger than the limit. Sent: an extension file with too large a value.
    public static let extensionValueTooLarge = StatusCode(rawValue: -246)
    /// −247: SO extension file: an invalid length. Sent: an extension file with an invalid length.
    public static let extensionLength = StatusCode(rawValue: -247)
    /// −248: SO extension file: an invalid tag. Sent: an extension file with an invalid tag.
    public static let extensionTag = StatusCode(rawValue: -248)
    /// −249: SO: more events than the file holds. Never: only a writer of a credential's files gets them.
    public static let tooManyEvents = StatusCode(rawValue: -249)
    /// −250: SO: more blacklist entries than the file holds. Sent: more than 64 entries for the blacklist.
    public static let tooManyBlacklistEntries = StatusCode(rawValue: -250)

    /// −280: SID: an unsupported major version. Sent: an OSS-SID credential of a later version.
    public static let siteIDMajorVersion = StatusCode(rawValue: -280)
    /// −281: SID: an unknown credential type. Sent: an OSS-SID credential of another type.
    public static let siteIDCredentialType = StatusCode(rawValue: -281)

    /// −300: DESFire: an invalid key type. Never: DESFire cards; this version reads none.
    public static let desfireKeyType = StatusCode(rawValue: -300)
    /// −301: DESFire: an invalid key. Never: DESFire cards; this version reads none.
    public static let desfireKey = StatusCode(rawValue: -301)
    /// −302: DESFire: a response without its CMAC. Never: DESFire cards; this version reads none.
    public static let desfireCMACMissing = StatusCode(rawValue: -302)
    /// −303: DESFire: a response with a wrong CMAC. Never: DESFire cards; this version reads none.
    public static let desfireCMACWrong = StatusCode(rawValue: -303)
    /// −304: DESFire: an invalid application id. Never: DESFire cards; this version reads none.
    public static let desfireApplicationID = StatusCode(rawValue: -304)
}
