// SPDX-License-Identifier: Apache-2.0

/// The name of a command in a token: up to 8 octets of ASCII. The set is open.
///
/// The summaries are the tables of docs/protocol/commands.md, which `script/tables` writes; "Data:" and "Result:" are
/// columns. Data and results of the older generation, and `CLK_SET`, are this reader's own profile.
public struct CommandName: RawRepresentable, Hashable, Sendable {
    /// The maximum length of a name in octets.
    public static let octetLimit = 8

    /// The name in the token.
    public let rawValue: String

    /// The command with this name, which may be unknown.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    // MARK: The newer generation

    /// Reads the version. Result: `VersionInfo`.
    public static let ping = CommandName(rawValue: "PING")
    /// Reads the status, with the last known counters if the disk does not work. Result: `SystemStatus`.
    public static let status = CommandName(rawValue: "STATUS")
    /// Sets the clock; a time that may not be set, or at which the token is not valid, changes nothing, and the status
    /// shows it. A configuration is checked as a whole (−34; −11 for a version that is not later); the settings that
    /// phones may set are kept and take effect at once. While the clock is unset: −157 without a time, −13 if the token
    /// is not valid at it, and no configuration. Data: `SystemUpdate`. Result: `SystemStatus`.
    public static let update = CommandName(rawValue: "UPDATE")
    /// Adds to the blacklist, all or nothing: −250 above 64 entries, −200 without a name, −233 for no time, −8 without
    /// room. Data: `BlacklistEntries`.
    public static let blacklistPush = CommandName(rawValue: "BL_PUSH")
    /// Empties the blacklist.
    public static let blacklistClear = CommandName(rawValue: "BL_CLEAR")
    /// Reads at most 40 events, and as many as fit 1792 octets. Data: `EventLogQuery`. Result: `EventLogResult`.
    public static let eventQuery = CommandName(rawValue: "EV_QUERY")
    /// Hides the events so far from phones, and is an event itself.
    public static let eventClear = CommandName(rawValue: "EV_CLEAR")
    /// Reads at most 10 lines, and as many as fit 1792 octets. Data: `SystemLogQuery`. Result: `SystemLogResult`.
    public static let systemLogQuery = CommandName(rawValue: "SL_QUERY")
    /// Empties the system log; its numbers continue.
    public static let systemLogClear = CommandName(rawValue: "SL_CLEAR")
    /// Starts the platform's updater once the answer has left; −5 if none is configured, −21 while one runs.
    public static let bootLoader = CommandName(rawValue: "BOOTLD")

    // MARK: The older generation, and CLK_SET

    /// Opens the door for `door.pulse-s`.
    public static let open = CommandName(rawValue: "tokn")
    /// Holds the door open until `diof` or `toof`.
    public static let officeOn = CommandName(rawValue: "enof")
    /// Secures a door that is held open.
    public static let officeOff = CommandName(rawValue: "diof")
    /// Secures an open door, holds a secured one open.
    public static let officeToggle = CommandName(rawValue: "toof")
    /// Sets the clock; −4 if the system's is synchronised, −3 for a time that a phone may not set, −13 for one at which
    /// the token is not valid. Data: `SystemTimeUnix`.
    public static let setTime = CommandName(rawValue: "time")
    /// Sets the clock by the issuer's word: −13 unless the token is signed for a day at most and that day has the time,
    /// −3 for a time an hour before the last authoritative one, −4 if the system's is synchronised. Data:
    /// `SystemTimeUnix`.
    public static let setClock = CommandName(rawValue: "CLK_SET")
    /// Reads the clock. Result: `SystemTimeUnix`.
    public static let getTime = CommandName(rawValue: "gtim")
    /// As `PING`. Result: `VersionInfo`.
    public static let classicVersion = CommandName(rawValue: "vers")
    /// Reads the level of the battery. Result: `BleManufacturerInfo`.
    public static let battery = CommandName(rawValue: "batt")
    /// As `EV_QUERY`; without data the newest events, newest first. Data: `EventLogQuery`. Result: `EventLogResult`.
    public static let accessLog = CommandName(rawValue: "gual")
    /// As `EV_CLEAR`.
    public static let accessLogClear = CommandName(rawValue: "cual")
    /// Reads the identifier and the Bluetooth settings, no API key. Result: CBOR.
    public static let getConfiguration = CommandName(rawValue: "gcfg")
    /// As `STATUS`. Result: `SystemStatus`.
    public static let getState = CommandName(rawValue: "gsta")
    /// Reads the data of `PING`. Result: CBOR.
    public static let classicVersions = CommandName(rawValue: "gver")
    /// −5: there is no boot loader to ask for its version.
    public static let bootLoaderVersion = CommandName(rawValue: "blvs")
    /// −5: the revision of the board is not known.
    public static let hardwareRevision = CommandName(rawValue: "hrev")
    /// −5: only the name is public; `gual` and `SL_QUERY` read the logs.
    public static let classicLog = CommandName(rawValue: "glol")
    /// −5: only the name is public; `BOOTLD` asks for an update.
    public static let checkFirmware = CommandName(rawValue: "ckfw")
    /// As `BOOTLD`.
    public static let classicBoot = CommandName(rawValue: "boot")
    /// Confirms to the app that the credential may maintain.
    public static let maintenance = CommandName(rawValue: "mtnc")

    // MARK: Properties

    /// All known commands, including those answered with −5.
    public static let all: [CommandName] = [.open, .officeOn, .officeOff, .officeToggle] + maintained + [.setClock]

    /// The commands that may be signed with the name of the maintenance group.
    private static let maintained: [CommandName] = [
        .ping, .status, .update, .blacklistPush, .blacklistClear, .eventQuery, .eventClear, .systemLogQuery,
        .systemLogClear, .bootLoader, .setTime, .getTime, .classicVersion, .battery, .accessLog, .accessLogClear,
        .getConfiguration, .getState, .classicBoot, .classicVersions, .bootLoaderVersion, .hardwareRevision,
        .classicLog, .checkFirmware, .maintenance,
    ]

    /// The equivalent command of the newer generation; the command itself if there is none.
    public var equivalent: CommandName {
        switch self {
        case .classicVersion: .ping
        case .accessLog: .eventQuery
        case .accessLogClear: .eventClear
        case .getState: .status
        case .classicBoot: .bootLoader
        default: self
        }
    }

    /// True if the command may grant access, and is therefore recorded as a grant before it is executed.
    public var opensDoor: Bool { self == .open || self == .officeOn || self == .officeToggle }

    /// Not a command: the name of the maintenance group, which replaces the command's in a signed text.
    public static let maintenanceGroup = CommandName(rawValue: "MAINTC")

    /// The group whose name may replace this command's in the signed text; nil if there is none.
    public var group: CommandName? { CommandName.maintained.contains(self) ? .maintenanceGroup : nil }

    /// True if the token's unsigned `data` is used: only for maintenance commands, and for `setClock`, whose signed
    /// validity bounds it.
    public var readsUnsignedData: Bool { group == .maintenanceGroup || self == .setClock }

    /// True if the command sets the clock, and is therefore accepted while the clock is not set.
    public var setsClock: Bool { self == .update || self == .setTime || self == .setClock }
}
