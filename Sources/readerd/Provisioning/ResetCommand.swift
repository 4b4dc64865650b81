// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// The arguments of `readerd reset`, which requires `--yes`.
struct ResetOptions: Equatable, ReaderdArguments {
    var stateDirectory = RunOptions.defaultStateDirectory

    var command: CommandName { .reset }

    var options: [CommandOption<ResetOptions>] {
        [.value("--state") { $0.stateDirectory = $1 }, .flag("--yes") { _ in }]
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        guard seen.contains("--yes") else {
            throw .usage(
                "reset deletes the identity in \(stateDirectory), its keys, the event log, the blacklist and the "
                    + "pushed settings; to confirm, add --yes")
        }
    }
}

/// `readerd reset`: restores the factory state.
struct ResetCommand {
    /// Exists while a reset is in progress. A reader that finds it does not start.
    static let markerName = StateLock.resetMarkerName

    let options: ResetOptions
    let console: Console
    /// Called with the name of each removed file; for tests.
    var watcher: (String) throws(ReaderdError) -> Void = { _ in }

    /// Carries out the command. Returns the exit status.
    func perform() throws(ReaderdError) -> Int32 {
        let state = try StateDirectory(existing: options.stateDirectory)
        let lock = try StateLock.acquire(state, for: .reset)
        defer { lock.release() }
        try state.replace(ResetCommand.markerName, with: [])
        try watcher(ResetCommand.markerName)
        // The link is removed first: without it there is no identity, even if other files remain.
        let names = try state.names().filter(ResetCommand.isOurs)
        for name in [IdentityDirectory.linkName] + names.filter({ $0 != IdentityDirectory.linkName }) {
            try state.wipe(name)
            try watcher(name)
        }
        try state.synchronize()
        try state.wipe(ResetCommand.markerName)
        try state.synchronize()
        let left = try state.names().filter { $0 != StateLock.fileName }
        if !left.isEmpty {
            console.complain("kept, not made by readerd: \(left.joined(separator: ", "))")
        }
        console.print("\(state.path): factory state: demo identity, no events, no blacklist")
        return 0
    }

    /// True for names of files of readerd or of its identity.
    static func isOurs(_ name: String) -> Bool {
        var name = name[...]
        // A file whose replacement was interrupted by a power cut.
        if name.hasSuffix(".new") { name.removeLast(4) }
        let text = String(name)
        return IdentityFiles.File(rawValue: text) != nil || text == IdentityDirectory.linkName
            || IdentityDirectory.isDirectoryName(text) || text == AddressBook.fileName
            || text == EventLogKey.fileName || text.hasPrefix("events.") || text.hasPrefix("policy.")
            || text == "bonds" || PanelFiles.names.contains(text)
            || AliroFiles.names.contains(text) || MatterAliroFiles.names.contains(text)
            || text == StoredKey.pkocSite.name
    }
}
