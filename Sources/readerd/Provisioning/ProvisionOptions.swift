// SPDX-License-Identifier: Apache-2.0

import Reader
import System
import Timekeeping

/// The arguments of `readerd provision`.
struct ProvisionOptions: Equatable, ReaderdArguments {
    enum Action: Equatable {
        /// Create an identity.
        case make
        /// Replace the terminal key with a new one.
        case rotateTerminalKey
        /// Replace the back end's key of a kind with the one in the file at `path`.
        case replace(BackendKeyKind, path: String)
    }

    var stateDirectory = RunOptions.defaultStateDirectory
    var action = Action.make
    /// `--device-id`; nil for a generated one.
    var deviceID: String?
    /// `--serial-number`; nil for a generated one.
    var serialNumber: String?
    /// `--signature-key`: the path of a file.
    var signatureKey: String?
    var siteID: Int?
    var doorID: Int?
    var isForced = false
    /// `--old-key-until`; nil if not given.
    var oldKeyUntil: OldKeyEnd?
    var isJSON = false

    /// The end of the validity of the signature key that is replaced.
    enum OldKeyEnd: Equatable {
        /// Immediately.
        case now
        /// The end of a minute of the reader's local time.
        case at(CivilTime)
    }

    /// True if nothing but the state directory is given, so that on a terminal the rest is asked for.
    var areBare: Bool {
        var bare = ProvisionOptions()
        bare.stateDirectory = stateDirectory
        return self == bare
    }

    var command: CommandName { .provision }

    var options: [CommandOption<ProvisionOptions>] {
        [
            .value("--state") { $0.stateDirectory = $1 },
            .value("--device-id") { provision, value throws(ReaderdError) in
                guard IdentityFiles.isDeviceID(value) else {
                    throw .usage(
                        "--device-id needs \(ReaderIdentity.deviceIDCount) printable ASCII characters, without a space")
                }
                provision.deviceID = value
            },
            .value("--serial-number") { provision, value throws(ReaderdError) in
                guard ReaderIdentity.isSerialNumber(value) else {
                    throw .usage("--serial-number needs \(ReaderIdentity.serialNumberCount) hexadecimal digits")
                }
                provision.serialNumber = value
            },
            .value("--signature-key") { $0.signatureKey = $1 },
            .value("--site-id") { provision, value throws(ReaderdError) in
                provision.siteID = try ProvisionOptions.number("--site-id", value)
            },
            .value("--door-id") { provision, value throws(ReaderdError) in
                provision.doorID = try ProvisionOptions.number("--door-id", value)
            },
            .flag("--force-new-identity") { $0.isForced = true },
            .flag("--rotate-terminal-key") { provision throws(ReaderdError) in
                try provision.setAction(.rotateTerminalKey)
            },
            .value("--add-signature-key") { provision, path throws(ReaderdError) in
                try provision.setAction(.replace(.signature, path: path))
            },
            .value("--command-key") { provision, path throws(ReaderdError) in
                try provision.setAction(.replace(.command, path: path))
            },
            .value("--old-key-until") { provision, value throws(ReaderdError) in
                guard let time = value == "now" ? .now : LocalMinute.parse(value[...]).map(OldKeyEnd.at) else {
                    throw .usage("--old-key-until needs a date, 2026-12-31 or 2026-12-31T18:00, or the word now")
                }
                provision.oldKeyUntil = time
            },
            .flag("--json") { $0.isJSON = true },
        ]
    }

    private mutating func setAction(_ action: Action) throws(ReaderdError) {
        guard self.action == .make else {
            throw .usage(
                "--rotate-terminal-key, --add-signature-key and --command-key exclude each other; run one after the "
                    + "other")
        }
        self.action = action
    }

    private static func number(_ name: String, _ value: String) throws(ReaderdError) -> Int {
        guard let number = ProvisionedDoor.number(value[...]) else {
            throw .usage("\(name) needs a whole number from 1 to 65535, not \"\(value)\"")
        }
        return number
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        guard (siteID == nil) == (doorID == nil) else {
            throw .usage("--site-id and --door-id need each other")
        }
        if action == .make {
            if oldKeyUntil != nil { throw .usage("--old-key-until needs --add-signature-key or --command-key") }
            return
        }
        guard deviceID == nil, serialNumber == nil, signatureKey == nil, siteID == nil, !isForced else {
            throw .usage(
                "--rotate-terminal-key, --add-signature-key and --command-key exclude --device-id, --serial-number, "
                    + "--signature-key, --site-id, --force-new-identity")
        }
        if action == .rotateTerminalKey, oldKeyUntil != nil {
            throw .usage(
                "--old-key-until needs --add-signature-key or --command-key: a reader has one terminal key at a time")
        }
    }
}
