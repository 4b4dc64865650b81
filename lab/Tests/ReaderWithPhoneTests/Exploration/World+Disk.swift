// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Timekeeping
@testable import Reader
@testable import ReaderTestSupport

/// The disk: jobs of the store that end in some order, or fail.
extension World {
    /// The oldest thing that the disk was asked for; events that nobody waits for count as one as long as nothing else
    /// comes between.
    func takeOldest() -> [Job] {
        guard let first = disk.queue.first else { return [] }
        guard !isAwaited(first) else { return [disk.queue.removeFirst()] }
        let count = disk.queue.firstIndex { isAwaited($0) } ?? disk.queue.count
        defer { disk.queue.removeFirst(count) }
        return Array(disk.queue.prefix(count))
    }

    /// True if a request waits for it.
    func isAwaited(_ job: Job) -> Bool {
        guard case .append(let submission) = job else { return true }
        return judge.grants.values.contains { $0.event == submission.event }
    }

    func store() throws {
        for job in takeOldest() {
            switch job {
            case .contents: try restore()
            case .append(let submission):
                guard !disk.isFull else {
                    reader.ledger.refused(submission.id)
                    try decideOpenings()
                    continue
                }
                disk.lastEvent = max(disk.lastEvent, submission.event.time.epochSeconds)
                judge.recorded(submission.event)
                reader.ledger.stored(submission.id, isFull: false, at: now, time)
                try decideOpenings()
            case .request(let id, let work): try store(work, id)
            }
        }
        try settle()
    }

    func store(_ work: StorageWork, _ id: CommandID?) throws {
        switch work {
        case .blacklist(let change):
            try disk.policy.apply(.blacklist(change))
            if let id { judge.orders.remove(id) }
            judge.kept(change)
        case .setting(let name, let value): try disk.policy.apply(.setting(name, value))
        default: break
        }
        if let id { reader.answerStorage(id, .done, port: &port, at: moment) }
    }

    func fail() throws {
        for job in takeOldest() {
            switch job {
            case .contents:
                refuseForWantOfPolicy()
                // It is looked up again.
                disk.queue.append(job)
            case .append(let submission):
                reader.ledger.failed(submission.id, .inputOutput, at: now, time)
                try decideOpenings()
            case .request(let id, let work):
                if case .blacklist(let change) = work, !change.adds { judge.pardonsUnderway -= 1 }
                if let id { judge.orders.remove(id) }
                // What nobody waits for is put again.
                guard let id else {
                    disk.queue.append(job)
                    continue
                }
                reader.answerStorage(id, .failed(.unavailable), port: &port, at: moment)
            }
        }
        try settle()
    }

    /// The kept policy has been read.
    func restore() throws {
        guard !disk.isDamaged else { return refuseForWantOfPolicy() }
        judge.isPolicyKnown = true
        _ = reader.restore(flaw == .revocationForgotten ? [] : disk.policy.blacklist, at: moment)
        clock = ReaderClock(zone: .utc, buildTime: World.buildTime, lastEvent: disk.lastEvent, marks: disk.marks)
        keptMarks = disk.marks
        shownBefore = nil
        try observeClock()
    }

    /// The kept policy cannot be read: no credential opens, and phones do not move the clock.
    func refuseForWantOfPolicy() {
        clock = ReaderClock(
            zone: .utc, buildTime: World.buildTime, lastEvent: disk.lastEvent, marks: .exhausted(latest: 0))
        shownBefore = nil
    }
}
