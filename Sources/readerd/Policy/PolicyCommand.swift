// SPDX-License-Identifier: Apache-2.0

import EventStore
import Glibc
import JSON
import Octets
import Reader
import System

/// `readerd policy`: shows the stored policy, or replaces it.
struct PolicyCommand {
    /// The arguments of `readerd policy`; `begin` requires `--yes`.
    struct Options: Equatable, ReaderdArguments {
        enum Action: String {
            case show
            case begin
        }

        /// The action given; nil before it was parsed.
        private var named: Action?
        var action: Action { named ?? .show }
        var stateDirectory = RunOptions.defaultStateDirectory
        var isJSON = false

        var command: CommandName { .policy }

        var options: [CommandOption<Options>] {
            [
                .value("--state") { $0.stateDirectory = $1 }, .flag("--json") { $0.isJSON = true },
                .flag("--yes") { _ in },
            ]
        }

        mutating func accept(word: String) -> Bool {
            guard named == nil, let action = Action(rawValue: word) else { return false }
            named = action
            return true
        }

        func check(_ seen: Set<String>) throws(ReaderdError) {
            guard named != nil else { throw .usage("policy needs show or begin; \(help)") }
            if action == .begin, isJSON { throw .usage("--json cannot be combined with begin; \(help)") }
            if action == .show, seen.contains("--yes") { throw .usage("--yes cannot be combined with show; \(help)") }
            guard action == .show || seen.contains("--yes") else {
                throw .usage(
                    "policy begin deletes the blacklist and the pushed settings in \(stateDirectory): revoked "
                        + "credentials open again until the blacklist is pushed again; to confirm, add --yes")
            }
        }
    }

    let options: Options
    let console: Console

    /// Carries out the command. Returns the exit status.
    func perform() throws(ReaderdError) -> Int32 {
        // Before the process changes from root to the directory's owner.
        let actor = "uid \(getuid())"
        let state = try StateDirectory(existing: options.stateDirectory)
        return try options.action == .show ? show(state) : begin(state, by: actor)
    }

    private func show(_ state: StateDirectory) throws(ReaderdError) -> Int32 {
        guard let key = try EventLogKey.existing(in: state) else {
            throw .failed(
                "\(state.file(EventLogKey.fileName)): missing; nothing can be verified without it; check --state")
        }
        let verdict = try StoredPolicy(in: state, key: key).verdict
        if options.isJSON {
            var object = verdict.object
            if case .known(let policy, _) = verdict { object.add("revoked", policy.document.blacklist.map(\.object)) }
            console.print(object.text)
        } else {
            console.print(verdict.summary)
            if case .known(let policy, _) = verdict {
                for line in PolicyCommand.revoked(policy.document.blacklist) { console.print(line) }
                if !policy.document.settings.isEmpty {
                    console.print("settings: \(policy.document.settings.keys.sorted().joined(separator: ", "))")
                }
            }
        }
        return verdict.isSound ? 0 : 1
    }

    /// The revoked credentials as a table; no line without one.
    static func revoked(_ rows: [BlacklistRow]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let width = max(10, rows.map(\.credential.printable.count).max() ?? 0)
        return ["revoked".padded(to: width) + "  until"]
            + rows.map { $0.credential.printable.padded(to: width) + "  " + ($0.end ?? "for ever") }
    }

    private func begin(_ state: StateDirectory, by actor: String) throws(ReaderdError) -> Int32 {
        let lock = try StateLock.acquire(state, for: .policy)
        defer { lock.release() }
        let (key, damage) = try EventLogKey.loadOrReplace(in: state)
        if let damage { console.complain(damage) }
        let logged = StoredPolicy.logged(in: state, key: key)
        let begun = BeginningTime(
            system: .now(), buildTime: Int64(FirmwareVersion.current.buildTime),
            lastEvent: EventStore.timeOfHead(in: state.path, key: key))
        let document: PolicyDocument
        do throws(DiskFault) {
            document = try PolicyFiles(directory: state.path, key: key)
                .begin(by: actor, at: begun.seconds ?? PolicyTime.unknown, logged: logged)
        } catch {
            throw .failed("\(state.path): cannot write the policy (\(error)); check permissions and disk space")
        }
        console.print("\(state.path): new policy, generation \(document.generation), no revoked credentials")
        console.print("have the blacklist and the configuration pushed again before the reader is in service")
        console.print(begun.line)
        return 0
    }

    /// The help of `readerd policy`.
    static let help = """
        readerd policy show [--state DIR] [--json]
        readerd policy begin --yes [--state DIR]

        The policy is the persistent state of decisions: the blacklist, the pushed configuration, and the clock's marks.
        It is authenticated and counted. With a policy that is damaged, missing or older than the last one, phones open
        nothing, and readerd status shows a fault.

        show            Generation, the revoked credentials with the end of each in the reader's time, names of the
                        settings, and integrity; with or without a running reader. Exit status: 0 if sound, else 1.
                        Entries that have ended stay until room is needed. readerd revoke and unrevoke change the list.
        begin           Replaces the policy by an empty one. Revoked credentials open again until the blacklist is pushed
                        anew. No readerd may run on the state directory; the next start records the user. Orders and
                        states of a back end that were signed before are refused; without a certain time all are, until
                        the clock is synchronised or readerd set-time.
        --state DIR     The state directory, \(RunOptions.defaultStateDirectory) by default.
        --json          One JSON object.
        --yes           Required for begin.

            readerd policy show --json | jq .revoked
            systemctl stop readerd
            readerd policy begin --yes
        """
}
