// SPDX-License-Identifier: Apache-2.0

/// Status codes of credentials on cards and phones: Standard Offline (SO), Site ID (SID) and DESFire.
extension StatusCode {
    /// −200: a credential id is malformed.
    public static let credentialID = StatusCode(rawValue: -200)
    /// −201: the MCP library failed.
    public static let mcpLibrary = StatusCode(rawValue: -201)

    /// −230: SO: an unsupported major version.
    public static let standardOfflineMajorVersion = StatusCode(rawValue: -230)
    /// −231: SO: an unknown credential type.
    public static let standardOfflineCredentialType = StatusCode(rawValue: -231)
    /// −233: SO: an invalid timestamp.
    public static let standardOfflineTimestamp = StatusCode(rawValue: -233)
    /// −234: SO: an invalid time period.
    public static let standardOfflinePeriod = StatusCode(rawValue: -234)
    /// −235: SO: the site id is 0.
    public static let standardOfflineSite = StatusCode(rawValue: -235)
    /// −236: SO: access neither by door nor by door group.
    public static let standardOfflineAccessBy = StatusCode(rawValue: -236)
    /// −237: SO: a door refers to a missing schedule.
    public static let standardOfflineDoorSchedule = StatusCode(rawValue: -237)
    /// −238: SO: a wrong number of time periods.
    public static let standardOfflinePeriodCount = StatusCode(rawValue: -238)
    /// −239: SO: a schedule number out of range.
    public static let standardOfflineScheduleNumber = StatusCode(rawValue: -239)
    /// −242: SO: an unknown event id.
    public static let standardOfflineEventID = StatusCode(rawValue: -242)
    /// −243: SO extension file: larger than the limit.
    public static let extensionTooLarge = StatusCode(rawValue: -243)
    /// −244: SO extension file: an invalid size field.
    public static let extensionInvalidSize = StatusCode(rawValue: -244)
    /// −245: SO extension file: too many features.
    public static let extensionTooManyFeatures = StatusCode(rawValue: -245)
    /// −246: SO extension file: a value larger than the limit.
    public static let extensionValueTooLarge = StatusCode(rawValue: -246)
    /// −247: SO extension file: an invalid length.
    public static let extensionLength = StatusCode(rawValue: -247)
    /// −248: SO extension file: an invalid tag.
    public static let extensionTag = StatusCode(rawValue: -248)
    /// −249: SO: more events than the file holds.
    public static let tooManyEvents = StatusCode(rawValue: -249)
    /// −250: SO: more blacklist entries than the file holds.
    public static let tooManyBlacklistEntries = StatusCode(rawValue: -250)

    /// −280: SID: an unsupported major version.
    public static let siteIDMajorVersion = StatusCode(rawValue: -280)
    /// −281: SID: an unknown credential type.
    public static let siteIDCredentialType = StatusCode(rawValue: -281)

    /// −300: DESFire: an invalid key type.
    public static let desfireKeyType = StatusCode(rawValue: -300)
    /// −301: DESFire: an invalid key.
    public static let desfireKey = StatusCode(rawValue: -301)
    /// −302: DESFire: a response without its CMAC.
    public static let desfireCMACMissing = StatusCode(rawValue: -302)
    /// −303: DESFire: a response with a wrong CMAC.
    public static let desfireCMACWrong = StatusCode(rawValue: -303)
    /// −304: DESFire: an invalid application id.
    public static let desfireApplicationID = StatusCode(rawValue: -304)
}
