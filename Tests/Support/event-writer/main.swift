// Writes the log until it is killed, and tells on standard output what was acknowledged: 8 octets for each event, its
// number in the log, little endian. The tests kill it at any instant and look whether all of that is there.
//
//   event-writer DIRECTORY CAPACITY [EVENTS [FILE-LIMIT]]
import EventStore
import Glibc
import Reader

let arguments = CommandLine.arguments
guard arguments.count >= 3, let capacity = Int(arguments[2]) else { exit(2) }
let events = arguments.count > 3 ? Int(arguments[3]) ?? 0 : Int.max
if arguments.count > 4, let limit = UInt(arguments[4]) {
    // A file that may not grow any further is as good as a full disk.
    signal(SIGXFSZ, SIG_IGN)
    var limits = rlimit(rlim_cur: limit, rlim_max: limit)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { exit(2) }
}
guard let key = AuditKey([UInt8](repeating: 7, count: 32)) else { exit(2) }
let log = LogCapacity(records: capacity, whenFull: .overwrite)
guard let store = try? EventStore(.init(directory: arguments[1], key: key, capacity: log)) else { exit(1) }

var submitted = 0
var answered = 0
var results: [StoreResult] = []
while answered < events {
    // A few at a time, so that they are written alone and in batches.
    while submitted < events, submitted - answered < 1 + submitted % 7 {
        let time = AuditTime(
            epochSeconds: 1_795_262_400, utcOffsetMinutes: 60, quality: .system,
            uptimeMilliseconds: Int64(submitted))
        let event = AuditEvent(.granted, at: time, info: Int32(truncatingIfNeeded: submitted), credential: "CRED000001")
        guard store.submit(UInt64(submitted), .append(event)) else { break }
        submitted += 1
    }
    var ready = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&ready, 1, -1)
    store.takeResults(into: &results)
    for result in results {
        answered += 1
        switch result.answer {
        case .appended(let sequence, _):
            var octets = sequence.littleEndian
            guard write(STDOUT_FILENO, &octets, 8) == 8 else { exit(1) }
        case .failed(let fault): exit(10 + fault.rawValue)
        default: exit(1)
        }
    }
    results.removeAll(keepingCapacity: true)
}
exit(store.close(within: 10) ? 0 : 1)
