import Reader
import Timekeeping

/// What the command line of `readerd provision` says.
struct ProvisionOptions: Equatable {
    /// What is done.
    enum Action: Equatable {
        /// An identity is made.
        case make
        /// The terminal key is made anew.
        case rotateTerminalKey
        /// The signature key in the file at `path` takes the place of the one that is there.
        case addSignatureKey(path: String)
    }

    /// `--state`
    var stateDirectory = RunOptions.defaultStateDirectory
    var action = Action.make
    /// `--device-id`; nil for one that is made.
    var deviceID: String?
    /// `--serial-number`; nil for one that is made.
    var serialNumber: String?
    /// `--signature-key`: a file.
    var signatureKey: String?
    /// `--site-id`
    var siteID: Int?
    /// `--door-id`
    var doorID: Int?
    /// `--force-new-identity`
    var isForced = false
    /// `--old-key-until`; nil if it is not given.
    var oldKeyUntil: OldKeyEnd?
    /// `--json`
    var isJSON = false

    /// How long tokens under the signature key that is being replaced are taken.
    enum OldKeyEnd: Equatable {
        /// No longer.
        case now
        /// Up to and including a minute of the reader's local time.
        case at(CivilTime)
    }

    init() {}

    /// The options that follow `provision`, each at most once.
    init(_ arguments: ArraySlice<String>) throws(ReaderdError) {
        var options = CommandOptions(
            .provision, arguments, flags: ["--json", "--force-new-identity", "--rotate-terminal-key"],
            valued: [
                "--state", "--device-id", "--serial-number", "--signature-key", "--site-id", "--door-id",
                "--add-signature-key", "--old-key-until",
            ])
        while let item = try options.nextOption() {
            switch item {
            case .flag(let name): try setFlag(name)
            case .option(let name, let value): try set(name, to: value)
            case .word: break
            }
        }
        try check()
    }

    private mutating func setFlag(_ name: String) throws(ReaderdError) {
        switch name {
        case "--json": isJSON = true
        case "--force-new-identity": isForced = true
        default: try setAction(.rotateTerminalKey)
        }
    }

    private mutating func setAction(_ action: Action) throws(ReaderdError) {
        guard self.action == .make else {
            throw .usage("--rotate-terminal-key and --add-signature-key do not go together; do one after the other")
        }
        self.action = action
    }

    private mutating func set(_ name: String, to value: String) throws(ReaderdError) {
        switch name {
        case "--state": stateDirectory = value
        case "--device-id":
            guard IdentityFiles.isDeviceID(value) else {
                throw .usage(
                    "--device-id needs \(ReaderIdentity.deviceIDCount) printable ASCII characters, without a space")
            }
            deviceID = value
        case "--serial-number":
            guard ReaderIdentity.isSerialNumber(value) else {
                throw .usage("--serial-number needs \(ReaderIdentity.serialNumberCount) hexadecimal digits")
            }
            serialNumber = value
        case "--signature-key": signatureKey = value
        case "--site-id": siteID = try ProvisionOptions.number(name, value)
        case "--door-id": doorID = try ProvisionOptions.number(name, value)
        case "--add-signature-key": try setAction(.addSignatureKey(path: value))
        default:
            if value == "now" {
                oldKeyUntil = .now
            } else if let time = LocalMinute.parse(value[...]) {
                oldKeyUntil = .at(time)
            } else {
                throw .usage("--old-key-until needs a date, 2026-12-31 or 2026-12-31T18:00, or the word now")
            }
        }
    }

    private static func number(_ name: String, _ value: String) throws(ReaderdError) -> Int {
        guard let number = ProvisionedDoor.number(value[...]) else {
            throw .usage("\(name) needs a whole number from 1 to 65535, and \"\(value)\" is none")
        }
        return number
    }

    private func check() throws(ReaderdError) {
        guard (siteID == nil) == (doorID == nil) else {
            throw .usage("--site-id and --door-id go together; give both")
        }
        if action == .make {
            if oldKeyUntil != nil { throw .usage("--old-key-until needs --add-signature-key") }
            return
        }
        guard deviceID == nil, serialNumber == nil, signatureKey == nil, siteID == nil, !isForced else {
            throw .usage(
                "--rotate-terminal-key and --add-signature-key change nothing else of an identity; "
                    + "give none of --device-id, --serial-number, --signature-key, --site-id, --force-new-identity")
        }
        if action == .rotateTerminalKey, oldKeyUntil != nil {
            throw .usage("--old-key-until needs --add-signature-key: a reader has one terminal key at a time")
        }
    }
}
