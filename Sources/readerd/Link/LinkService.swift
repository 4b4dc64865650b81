// SPDX-License-Identifier: Apache-2.0

import Crypto
import EventStore
import Fleet
import JSON
import Logging
import Octets
import Reader
import System
import Timekeeping

/// The channel to the process of the link to a fleet: it gives states and events, and takes no orders.
final class LinkService: CompanionService<LinkRequest> {
    /// The states that the process knows.
    struct Told: Equatable {
        var door: DoorStatus
        var last: UInt64
    }

    /// The least time between two batches: each costs a signature on the thread of the door.
    static let pause = Duration.milliseconds(20)
    /// The time after which a log that cannot be read is read again.
    static let retry = Duration.seconds(1)
    /// The maximum length of a message in octets: a status with the texts of all faults.
    private static let requestCount = 4096
    /// Batches that the process has asked for, and events beside them.
    private static let waitingLimit = 256 * 1024

    private let terminalKey: any HeldPrivateKey
    private let name: String
    /// The reader's identifier in topics.
    let device: String
    /// The log that the process knows; nil before the greeting.
    private(set) var log: LogID?
    /// The states that the process knows; nil if they are to be told.
    var told: Told?
    /// The time from which on the next batch may be read.
    var nextRead = Instant.origin
    /// The state of the link; nil while the process is not connected, or has not told it.
    private(set) var status: LinkStatus?

    /// The configured channel; nil for none.
    init?(_ settings: ReaderSettings.Link, _ identity: ReaderIdentity, log: Logger) throws(ReaderdError) {
        guard let path = settings.socket else { return nil }
        device = FleetTopics(deviceID: identity.deviceID).device
        name = settings.name ?? "readerd \(identity.deviceID)"
        terminalKey = identity.terminalKey
        try super.init(
            Companion(
                process: "readerd-link", section: "link", path: path, user: settings.user,
                lineLimit: LinkService.requestCount, waitingLimit: LinkService.waitingLimit), log: log)
    }

    /// True while the process is connected, and knows the reader.
    var isGreeted: Bool { isConnected && log != nil }

    /// Sends a message, if the process knows the reader.
    func send(_ report: LinkReport) { if isGreeted { send(report.line) } }

    override func note(_ event: Event) {
        switch event {
        case .connected, .lost: (log, told, status) = (nil, nil, nil)
        case .request(.status(let status)): self.status = status
        case .request: break
        }
    }

    // MARK: - The log

    /// Tells a part of the log: the greeting at first, or when it is another log; a batch, or the log's end.
    func tell(_ slice: LogSlice) throws(CryptoError) {
        guard isConnected, let log = LogID(slice.log) else { return }
        if log != self.log {
            self.log = log
            told = nil
            return send(
                .reader(
                    LinkReader(
                        firmware: FirmwareVersion.text, device: device, name: name, log: log, newest: slice.last)))
        }
        guard let batch = EventBatch(slice, log, device) else { return send(.newest(slice.last)) }
        let body = batch.body
        var signature: [UInt8] = []
        let octets = EventBatch.signedOctets(body)
        try terminalKey.sign(octets.span, into: &signature)
        send(
            .batch(
                EventBatch.text(body, signature: signature), covers: batch.first...batch.last,
                hasGap: batch.gap != nil))
    }
}

extension LinkRequest: CompanionRequest {}

extension EventBatch {
    /// The batch of a part of a log, up to the limits, or to where records are missing; nil if there is nothing yet.
    init?(_ slice: LogSlice, _ log: LogID, _ device: String) {
        let first = max(slice.first, 1)
        guard first <= slice.last else { return nil }
        // Without any record, all up to the end were removed.
        let begin = slice.records.first?.sequence ?? slice.last + 1
        self.init(
            device: device, log: log, first: first, last: begin - 1, gap: begin > first ? first...(begin - 1) : nil,
            chain: "", events: [])
        var count = 0
        for record in slice.records {
            guard record.sequence == last + 1, count < FleetLimits.batchCount else { break }
            let event = record.record.map { EventLine.json($0) } ?? record.damaged
            events.append(event)
            count += event.utf8.count
            last = record.sequence
            chain = Hexadecimal.text(record.chain?.octets ?? [])
        }
    }
}

extension StoredRecord {
    /// The event of a record that cannot be decoded.
    fileprivate var damaged: String {
        var object = JSONObject()
        object.add("sequence", sequence)
        object.add("kind", "damaged")
        object.add("record", Hexadecimal.text(octets))
        return object.text
    }
}
