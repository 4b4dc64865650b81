// SPDX-License-Identifier: Apache-2.0

import EventStore
import Glibc
import JSON
import Octets
import Reader
import System

/// `readerd events`: reads the log concurrently with a running reader, and never changes it.
struct EventsCommand {
    let options: EventsOptions
    let console: Console

    /// The polling interval while following the log.
    private static let pauseMilliseconds: Int32 = 500

    /// Carries out the command. Returns the exit status.
    func perform() throws(ReaderdError) -> Int32 {
        // The operator's file is created with the operator's rights; the state directory is read with its owner's.
        let export = try exportFile()
        defer { if let export { close(export) } }
        let state = try StateDirectory(existing: options.stateDirectory)
        let archive = try reading { () throws(DiskFault) in try EventArchive(directory: state.path) }
        switch options.action {
        case .show:
            try reading { () throws(DiskFault) in _ = try show(archive) }
            return 0
        case .follow:
            try reading { () throws(DiskFault) in try follow(archive) }
            return 0
        case .verify: return try verify(archive, state)
        case .export(let path):
            guard let file = export else { return 1 }
            return try reading { () throws(DiskFault) in try self.export(archive, to: file, path) }.get()
        }
    }

    private func reading<Value>(_ body: () throws(DiskFault) -> Value) throws(ReaderdError) -> Value {
        do throws(DiskFault) { return try body() } catch { throw failure(error) }
    }

    private func failure(_ fault: DiskFault) -> ReaderdError {
        let path = "\(options.stateDirectory)/events.db"
        switch fault {
        case .cannotOpen:
            return .failed(
                "\(path): cannot open it; check its permissions, or name the state directory with --state")
        case .damaged: return .failed("\(path): damaged, or not an event log")
        default: return .failed("\(path): \(fault)")
        }
    }

    // MARK: Showing

    private func show(_ archive: EventArchive) throws(DiskFault) -> UInt64 {
        var query = AuditQuery(kinds: options.kinds, includesCleared: options.includesCleared)
        var shown: UInt64 = 0
        if !options.isJSON { console.print(EventLine.row(EventLine.titles)) }
        switch options.since {
        case .number(let since):
            query.range = since...max(since, AuditQuery.lastSequence)
            try archive.forEach(query) { stored in
                shown = max(shown, stored.sequence)
                print(stored)
                return true
            }
        case .time(let since):
            var isReached = false
            try archive.forEach(query) { stored in
                shown = max(shown, stored.sequence)
                // Events without a time, and unreadable ones, are shown in their position.
                isReached = isReached || stored.record?.event.time.local.map { $0 >= since } ?? false
                if isReached { print(stored) }
                return true
            }
        case nil:
            query.isNewestFirst = true
            query.limit = options.last ?? EventsOptions.defaultLast
            var newest: [StoredRecord] = []
            try archive.forEach(query) { stored in
                newest.append(stored)
                return true
            }
            for stored in newest.reversed() { print(stored) }
            shown = newest.first?.sequence ?? 0
        }
        return shown
    }

    private func print(_ stored: StoredRecord) {
        guard let record = stored.record else {
            // Changed, or of a later version; verification distinguishes these.
            let text = "unreadable; see: readerd events --verify"
            console.print(
                options.isJSON
                    ? (["sequence": stored.sequence, "unreadable": Hexadecimal.text(stored.octets)] as JSONObject).text
                    : EventLine.row(["\(stored.sequence)", "", "?", "", "", text]))
            return
        }
        console.print(options.isJSON ? EventLine.json(record) : EventLine.row(EventLine.cells(record)))
    }

    /// Prints new events until the process is ended.
    private func follow(_ archive: EventArchive) throws(DiskFault) {
        var shown = try show(archive)
        while true {
            poll(nil, 0, EventsCommand.pauseMilliseconds)
            let next = AuditQuery(
                shown + 1...AuditQuery.lastSequence, kinds: options.kinds, includesCleared: options.includesCleared)
            do throws(DiskFault) {
                try archive.forEach(next) { stored in
                    shown = stored.sequence
                    print(stored)
                    return true
                }
            } catch {
                // The writer held the lock; retried in the next round.
                guard error == .inUse else { throw error }
            }
        }
    }

    // MARK: Verifying

    private func verify(_ archive: EventArchive, _ state: StateDirectory) throws(ReaderdError) -> Int32 {
        guard let key = try EventLogKey.existing(in: state) else {
            throw .failed("\(state.file(EventLogKey.fileName)): missing; nothing can be verified without it")
        }
        let anchor = options.anchor.map { (sequence: $0.sequence, chain: $0.chain) }
        let report = try reading { () throws(DiskFault) in try archive.verify(key: key, anchor: anchor) }
        let policy = try StoredPolicy(in: state, key: key).verdict
        show(report, policy)
        return report.isSound && policy.isSound ? 0 : 1
    }

    private func show(_ report: ChainReport, _ policy: FoundPolicy.Verdict) {
        guard !options.isJSON else { return console.print(json(report, policy)) }
        for finding in report.findings { console.print("\(finding)") }
        if report.hasMore { console.print("further findings omitted") }
        console.print(summary(report))
        console.print(policy.summary)
        if let anchor = anchor(report) {
            console.print("anchor \(anchor)")
        }
    }

    private func anchor(_ report: ChainReport) -> String? {
        guard let last = report.range?.upperBound, let end = report.end else { return nil }
        return "\(last):\(Hexadecimal.text(end.octets))"
    }

    private func summary(_ report: ChainReport) -> String {
        let dropped =
            report.droppedThrough == 0 ? "" : "; those up to \(report.droppedThrough) dropped in order"
        guard let range = report.range else { return "the log is empty\(dropped)" }
        let verdict = report.isSound ? "sound" : "NOT SOUND"
        return "\(verdict): \(report.count) records, \(range.lowerBound) to \(range.upperBound)\(dropped)"
    }

    private func json(_ report: ChainReport, _ policy: FoundPolicy.Verdict) -> String {
        let object: JSONObject = [
            "sound": report.isSound, "records": report.count, "first": report.range?.lowerBound,
            "last": report.range?.upperBound, "dropped-through": report.droppedThrough,
            "anchor": anchor(report).orNull, "findings": report.findings.map { "\($0)" }, "more": report.hasMore,
            "policy": policy.object,
        ]
        return object.text
    }

    // MARK: Exporting

    /// Opens the file to export to; its contents stay until the export is written.
    private func exportFile() throws(ReaderdError) -> Int32? {
        guard case .export(let path) = options.action else { return nil }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(path, "create it", errno: errno) }
        return descriptor
    }

    /// Writes every record with its octets and chain value, after a line with the start of the chain.
    private func export(
        _ archive: EventArchive, to descriptor: Int32, _ path: String
    ) throws(DiskFault) -> Result<Int32, ReaderdError> {
        let checkpoint = try archive.state().checkpoint
        // A pipe cannot be truncated, and need not be.
        guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else {
            return .failure(.file(path, "write it", errno: errno))
        }
        let start: JSONObject = [
            "checkpoint": checkpoint.sequence, "chain": Hexadecimal.text(checkpoint.chain.octets),
            "tag": Hexadecimal.text(checkpoint.tag.octets),
        ]
        var text = start.text + "\n"
        var failure: Int32 = 0
        var count = 0
        try archive.forEach(AuditQuery(0...AuditQuery.lastSequence, includesCleared: true)) { stored in
            if let record = stored.record {
                text += EventLine.json(record, stored: stored) + "\n"
            } else {
                let unreadable: JSONObject = [
                    "sequence": stored.sequence, "record": Hexadecimal.text(stored.octets),
                    "chain": Hexadecimal.text(stored.chain?.octets ?? []),
                ]
                text += unreadable.text + "\n"
            }
            count += 1
            guard text.utf8.count > 1 << 16 else { return true }
            failure = WholeWrite.write(text, to: descriptor)
            text = ""
            return failure == 0
        }
        if failure == 0 { failure = WholeWrite.write(text, to: descriptor) }
        if failure == 0, fsync(descriptor) != 0, errno != EINVAL { failure = errno }
        guard failure == 0 else { return .failure(.file(path, "write it", errno: failure)) }
        console.print("\(path): \(count) records")
        return .success(0)
    }
}
