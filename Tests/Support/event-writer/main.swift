// SPDX-License-Identifier: Apache-2.0

// Writes the log until it is killed, and reports each acknowledgement on standard output: 8 octets for each event, its
// number in the log, little-endian. The tests kill it at any time and check that all acknowledged events are there.
//
//   event-writer DIRECTORY CAPACITY [EVENTS [FILE-LIMIT]]
//
// With `policy` in place of the capacity it revokes one credential after another instead, REV0000001 and so on, and
// reports their number.
import EventStore
import Glibc
import Reader
import Timekeeping

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(2) }
let writesPolicy = arguments[2] == "policy"
guard let capacity = writesPolicy ? 1000 : Int(arguments[2]) else { exit(2) }
let events = arguments.count > 3 ? Int(arguments[3]) ?? 0 : Int.max
if arguments.count > 4, let limit = UInt(arguments[4]) {
    // A file that may not grow any further is equivalent to a full disk.
    signal(SIGXFSZ, SIG_IGN)
    var limits = rlimit(rlim_cur: limit, rlim_max: limit)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { exit(2) }
}
guard let key = AuditKey([UInt8](repeating: 7, count: 32)) else { exit(2) }
let log = LogCapacity(records: capacity, whenFull: .overwrite)
if writesPolicy {
    // The key file is beside the log where a reader verifies it, so it is not evidence of an earlier run.
    do throws(DiskFault) { try PolicyFiles.markFirstStart(in: arguments[1], signs: []) } catch {
        exit(10 + error.rawValue)
    }
}
guard let store = try? EventStore(.init(directory: arguments[1], key: key, capacity: log)) else { exit(1) }

var submitted = 0
var answered = 0
var results: [StoreResult] = []
var already = 0

@MainActor func request(_ number: Int, at time: AuditTime) -> StoreRequest {
    guard writesPolicy else {
        let event = AuditEvent(.granted, at: time, info: Int32(truncatingIfNeeded: number), credential: "CRED000001")
        return .append(event)
    }
    let text = "\(already + number + 1)"
    let credential = "REV" + String(repeating: "0", count: max(0, 7 - text.count)) + text
    let until = CivilTime(epochSeconds: 4_000_000_000)
    return .change(.blacklist(.put([BlacklistRow(credential: credential, until: until)])))
}

/// The number of credentials revoked so far; exits with 30 if the policy is refused.
@MainActor func calledBack() -> Int {
    guard store.submit(.policy, .policy) else { exit(1) }
    while true {
        results += store.results()
        switch results.popLast()?.answer {
        case .policy(let document, _): return document.entryCount
        case .policyRefused: exit(30)
        case .failed(let fault): exit(10 + fault.rawValue)
        default: break
        }
        var ready = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&ready, 1, -1)
    }
}

if writesPolicy { already = calledBack() }
while answered < events {
    // A few at a time, so that they are written singly and in batches.
    while submitted < events, submitted - answered < 1 + submitted % 7 {
        let time = AuditTime(
            epochSeconds: 1_795_262_400, utcOffsetMinutes: 60, quality: .system,
            uptimeMilliseconds: Int64(submitted))
        guard store.submit(.unawaited, request(submitted, at: time)) else { break }
        submitted += 1
    }
    var ready = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&ready, 1, -1)
    results += store.results()
    for result in results {
        answered += 1
        switch result.answer {
        case .appended(let sequence, _):
            var octets = sequence.littleEndian
            guard write(STDOUT_FILENO, &octets, 8) == 8 else { exit(1) }
        case .done:
            var octets = UInt64(already + answered).littleEndian
            guard write(STDOUT_FILENO, &octets, 8) == 8 else { exit(1) }
        case .failed(let fault): exit(10 + fault.rawValue)
        default: exit(1)
        }
    }
    results.removeAll(keepingCapacity: true)
}
exit(store.close(within: 10) ? 0 : 1)
