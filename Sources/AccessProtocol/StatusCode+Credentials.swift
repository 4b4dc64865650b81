/// The codes that credentials on cards and phones bring: Standard Offline (SO), Site ID (SID) and DESFire.
extension StatusCode {
    /// −200: a credential id is malformed.
    public static let credentialID = StatusCode(rawValue: -200)
    /// −201: the MCP library refused.
    public static let mcpLibrary = StatusCode(rawValue: -201)

    /// −230: SO: a major version above ours.
    public static let standardOfflineMajorVersion = StatusCode(rawValue: -230)
    /// −231: SO: an unknown credential type.
    public static let standardOfflineCredentialType = StatusCode(rawValue: -231)
    /// −233: SO: a timestamp is not one.
    public static let standardOfflineTimestamp = StatusCode(rawValue: -233)
    /// −234: SO: a time period is not one.
    public static let standardOfflinePeriod = StatusCode(rawValue: -234)
    /// −235: SO: the site id is 0.
    public static let standardOfflineSite = StatusCode(rawValue: -235)
    /// −236: SO: neither by door nor by door group.
    public static let standardOfflineAccessBy = StatusCode(rawValue: -236)
    /// −237: SO: a door names a schedule that the file does not have.
    public static let standardOfflineDoorSchedule = StatusCode(rawValue: -237)
    /// −238: SO: a wrong number of time periods.
    public static let standardOfflinePeriodCount = StatusCode(rawValue: -238)
    /// −239: SO: a schedule number out of range.
    public static let standardOfflineScheduleNumber = StatusCode(rawValue: -239)
    /// −242: SO: an unknown event id.
    public static let standardOfflineEventID = StatusCode(rawValue: -242)
    /// −243: SO extension file: larger than the limit.
    public static let extensionTooLarge = StatusCode(rawValue: -243)
    /// −244: SO extension file: its size field is wrong.
    public static let extensionInvalidSize = StatusCode(rawValue: -244)
    /// −245: SO extension file: too many features.
    public static let extensionTooManyFeatures = StatusCode(rawValue: -245)
    /// −246: SO extension file: a value larger than the limit.
    public static let extensionValueTooLarge = StatusCode(rawValue: -246)
    /// −247: SO extension file: a length that cannot be read.
    public static let extensionLength = StatusCode(rawValue: -247)
    /// −248: SO extension file: a tag that cannot be read.
    public static let extensionTag = StatusCode(rawValue: -248)
    /// −249: SO: more events than the file holds.
    public static let tooManyEvents = StatusCode(rawValue: -249)
    /// −250: SO: more blacklist entries than the file holds.
    public static let tooManyBlacklistEntries = StatusCode(rawValue: -250)

    /// −280: SID: a major version above ours.
    public static let siteIDMajorVersion = StatusCode(rawValue: -280)
    /// −281: SID: an unknown credential type.
    public static let siteIDCredentialType = StatusCode(rawValue: -281)

    /// −300: DESFire: the type of a key.
    public static let desfireKeyType = StatusCode(rawValue: -300)
    /// −301: DESFire: a key.
    public static let desfireKey = StatusCode(rawValue: -301)
    /// −302: DESFire: an answer without its CMAC.
    public static let desfireCMACMissing = StatusCode(rawValue: -302)
    /// −303: DESFire: an answer with a wrong CMAC.
    public static let desfireCMACWrong = StatusCode(rawValue: -303)
    /// −304: DESFire: the application id.
    public static let desfireApplicationID = StatusCode(rawValue: -304)

    /// The codes that only the phone's side reports, to its app; they never go over the air.
    public static let phoneOnly: ClosedRange<Int16> = -423 ... -400
    /// The codes of the mobile access flavour of the standard.
    public static let mobileAccess: ClosedRange<Int16> = -1100 ... -1000
}
