// SPDX-License-Identifier: Apache-2.0

/// The name of a command in a token: up to 8 octets of ASCII. The set is open.
public struct CommandName: RawRepresentable, Hashable, Sendable {
    /// The maximum length of a name in octets.
    public static let octetLimit = 8

    /// The name in the token.
    public let rawValue: String

    /// The command with this name, which may be unknown.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Opens the door. No data, empty result.
    public static let open = CommandName(rawValue: "tokn")
    /// Answers with `VersionInfo`. No data.
    public static let ping = CommandName(rawValue: "PING")
    /// Answers with `SystemStatus`. No data.
    public static let status = CommandName(rawValue: "STATUS")
    /// Sets the clock, and the configuration if there is one: `SystemUpdate`; answers with `SystemStatus`.
    public static let update = CommandName(rawValue: "UPDATE")
    /// Sets the clock only; a command of the older generation that this reader also supports.
    public static let setTime = CommandName(rawValue: "time")
    /// Sets the clock only, regardless of changes by phones: `SystemTimeUnix`; empty result. Specific to this
    /// reader's profile. The token must be signed with the command's own name and be valid for at most a day, which
    /// must contain the time.
    public static let setClock = CommandName(rawValue: "CLK_SET")
    /// Adds to the blacklist: `BlacklistEntries`; empty result.
    public static let blacklistPush = CommandName(rawValue: "BL_PUSH")
    /// Empties the blacklist. No data, empty result.
    public static let blacklistClear = CommandName(rawValue: "BL_CLEAR")
    /// Reads the event log: `EventLogQuery`; answers with `EventLogResult`.
    public static let eventQuery = CommandName(rawValue: "EV_QUERY")
    /// Empties the event log. No data, empty result.
    public static let eventClear = CommandName(rawValue: "EV_CLEAR")
    /// Reads the system log: `SystemLogQuery`; answers with `SystemLogResult`.
    public static let systemLogQuery = CommandName(rawValue: "SL_QUERY")
    /// Empties the system log. No data, empty result.
    public static let systemLogClear = CommandName(rawValue: "SL_CLEAR")
    /// Restarts into the boot loader. No data, empty result.
    public static let bootLoader = CommandName(rawValue: "BOOTLD")
    /// Holds the door open until `officeOff`. No data, empty result.
    ///
    /// The first of the older generation's commands; their data and results are this reader's own profile
    /// (docs/protocol/commands.md).
    public static let officeOn = CommandName(rawValue: "enof")
    /// Secures a door that is held open. No data, empty result.
    public static let officeOff = CommandName(rawValue: "diof")
    /// Secures an open door, and holds a secured one open. No data, empty result.
    public static let officeToggle = CommandName(rawValue: "toof")
    /// Reads the clock: answers with `SystemTimeUnix`. No data.
    public static let getTime = CommandName(rawValue: "gtim")
    /// As `ping`.
    public static let classicVersion = CommandName(rawValue: "vers")
    /// Answers with `BleManufacturerInfo`, which includes the battery level. No data.
    public static let battery = CommandName(rawValue: "batt")
    /// As `eventQuery`; without data the newest events, newest first.
    public static let accessLog = CommandName(rawValue: "gual")
    /// As `eventClear`.
    public static let accessLogClear = CommandName(rawValue: "cual")
    /// Reads the Bluetooth settings: answers with a CBOR map. No data.
    public static let getConfiguration = CommandName(rawValue: "gcfg")
    /// As `status`.
    public static let getState = CommandName(rawValue: "gsta")
    /// As `bootLoader`.
    public static let classicBoot = CommandName(rawValue: "boot")
    /// Reads the versions: answers with a CBOR map. No data.
    public static let classicVersions = CommandName(rawValue: "gver")
    /// Only its name is published; not supported.
    public static let bootLoaderVersion = CommandName(rawValue: "blvs")
    /// Only its name is published; not supported.
    public static let hardwareRevision = CommandName(rawValue: "hrev")
    /// Only its name is published; not supported.
    public static let classicLog = CommandName(rawValue: "glol")
    /// Only its name is published; not supported.
    public static let checkFirmware = CommandName(rawValue: "ckfw")
    /// Confirms that the credential may maintain the reader. No data, empty result.
    public static let maintenance = CommandName(rawValue: "mtnc")

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
