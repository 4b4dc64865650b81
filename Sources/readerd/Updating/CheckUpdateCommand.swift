// SPDX-License-Identifier: Apache-2.0

import Octets
import Reader
import System

/// `readerd check-update`: says whether a release may be installed, by the floor in the state directory.
struct CheckUpdateCommand: Equatable, ReaderdArguments {
    /// The version; empty before it was parsed.
    var version = ""
    var stateDirectory = RunOptions.defaultStateDirectory

    var command: CommandName { .checkUpdate }

    var options: [CommandOption<CheckUpdateCommand>] { [.value("--state") { $0.stateDirectory = $1 }] }

    mutating func accept(word: String) throws(ReaderdError) -> Bool {
        guard version.isEmpty else { throw .usage("check-update takes one VERSION; \(help)") }
        version = word
        return true
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        guard !version.isEmpty else { throw .usage("check-update needs a VERSION; \(help)") }
    }

    static let help = """
        readerd check-update VERSION [--state DIR]

        Says whether firmware of this version may be installed: not if it is older than the newest that has served for an
        hour with this state, or, where none has, than this program. For updaters, before they write anything.

        --state DIR  The state directory, \(RunOptions.defaultStateDirectory) by default.

        Exit status: 0 if it may, 1 if it may not or that cannot be told.

            readerd check-update 1.2.0 || exit 1
        """

    /// Prints the verdict. Returns the exit status: 1 for a release that is refused.
    func perform(_ console: Console) throws(ReaderdError) -> Int32 {
        guard let release = FirmwareRelease(version) else {
            let shown = version.printable.debugDescription
            throw .failed("\(shown) is no version; a bundle needs one, as 1.2.0")
        }
        let floor = try floor()
        guard let floor, release >= floor else {
            throw .failed(
                "\(release) is older than \(floor.map { "\($0)" } ?? "an unknown version"), which has served here; "
                    + "nothing older is installed")
        }
        console.print("\(release) may be installed: the oldest is \(floor)")
        return 0
    }

    /// The oldest release that may be installed; nil if unknown.
    private func floor() throws(ReaderdError) -> FirmwareRelease? {
        let state = try StateDirectory(existing: stateDirectory)
        guard let key = try EventLogKey.existing(in: state) else { return FirmwareRelease.own }
        let stored = try StoredPolicy(in: state, key: key).document()?.settings[FirmwareFloor.setting]
        guard let stored else { return FirmwareRelease.own }
        return FirmwareRelease(String(decoding: stored, as: UTF8.self))
    }
}
