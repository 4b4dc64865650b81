// SPDX-License-Identifier: Apache-2.0

import EventStore
import JSON
import Reader
import Timekeeping

/// The policy in a state directory, for commands that read it during a reader's run.
struct StoredPolicy {
    let state: StateDirectory
    let verdict: FoundPolicy.Verdict

    init(in state: StateDirectory, key: AuditKey) throws(ReaderdError) {
        self.state = state
        // The log is read first: a concurrent writer is never ahead with it.
        let logged = StoredPolicy.logged(in: state, key: key)
        do throws(DiskFault) {
            verdict = try PolicyFiles(directory: state.path, key: key).verdict(logged: logged)
        } catch {
            throw .failed(
                "\(state.path): cannot read the policy; check the permissions of policy.a, policy.b and policy.count")
        }
    }

    /// Returns the newest generation stated by the event log and its head; 0 without both.
    static func logged(in state: StateDirectory, key: AuditKey) -> UInt64 {
        let log = (try? EventArchive(directory: state.path).policyGeneration(key: key)) ?? 0
        return max(log, EventStore.generationOfHead(in: state.path, key: key))
    }

    /// Returns the policy; nil if no reader has created one.
    ///
    /// - Throws: An error if the stored policy is refused.
    func document() throws(ReaderdError) -> PolicyDocument? {
        switch verdict {
        case .known(let policy, _): policy.document
        case .none: nil
        case .refused(let refusal):
            throw .failed(
                "\(state.path): \(refusal.summary); phones open nothing; investigate, then run: readerd policy begin "
                    + "--yes --state \(state.path)")
        }
    }

    /// Marks a directory in which no reader has run, to distinguish it from a directory without its policy.
    static func markFirstStart(in state: StateDirectory) throws(ReaderdError) {
        do throws(DiskFault) {
            try PolicyFiles.markFirstStart(in: state.path, signs: [EventLogKey.fileName])
        } catch {
            throw .failed(
                "\(state.path): cannot create a policy: \(error == .full ? "the disk is full" : "check permissions")"
            )
        }
    }
}

extension FoundPolicy.Verdict {
    var isSound: Bool {
        if case .refused = self { false } else { true }
    }

    /// The verdict in one line for people.
    var summary: String {
        switch self {
        case .none: "policy: none yet"
        case .known(let policy, let isWhole):
            "policy: sound, generation \(policy.document.generation), \(policy.document.entryCount) revoked"
                + (isWhole ? "" : "; incomplete: repaired at the next start")
        case .refused(let refusal): "policy: NOT SOUND: \(refusal.summary)"
        }
    }

    /// The verdict as a JSON object.
    var object: JSONObject {
        switch self {
        case .none: ["sound": true, "generation": 0, "blacklist": 0, "settings": [] as [String]]
        case .known(let policy, let isWhole):
            [
                "sound": true, "whole": isWhole, "generation": policy.document.generation,
                "blacklist": policy.document.entryCount, "settings": policy.document.settings.keys.sorted(),
            ]
        case .refused(let refusal): ["sound": false, "finding": refusal.summary]
        }
    }
}

extension BlacklistRow {
    /// The last minute of the refusal in the reader's time; nil for ever.
    var end: String? { isForEver ? nil : LocalMinute.text(until) }

    /// The entry as a JSON object.
    var object: JSONObject {
        var object = ["credential": credential] as JSONObject
        if let end { object.add("until", end) }
        return object
    }
}
