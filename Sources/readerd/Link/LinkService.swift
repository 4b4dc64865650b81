// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import EventStore
import Fleet
import JSON
import Logging
import Octets
import Reader
import Remote
import System
import Timekeeping

/// The channel to the process of the link to a fleet: it gives states and events, and answers orders of a back end.
final class LinkService: CompanionService<LinkRequest> {
    /// The states that the process knows.
    struct Told: Equatable {
        var door: DoorStatus
        var last: UInt64
        var desired: DesiredState.Report
    }

    /// A desired state that is being kept.
    struct Keeping {
        var state: DesiredState.Complete
        /// The replacement of the blacklist; nil if it is not part of the state.
        var list: CommandID?
    }

    /// The time after which a log that cannot be read is read again.
    static let retry = Duration.seconds(1)
    /// The time without a forged order after which its fault ends: a person has read the status by then.
    var forgeryRest = Duration.seconds(600)
    /// The time after which a silent process is disconnected.
    var silenceLimit = FleetLimits.silenceLimit
    /// The maximum length of a message in octets: an order in digits, or a status with the texts of all faults.
    private static let requestCount = 2 * FleetLimits.orderCount + 128
    /// Batches that the process has asked for, and events between them.
    private static let waitingLimit = 256 * 1024

    private let terminalKey: any HeldPrivateKey
    private let name: String
    /// The reader's identifier in topics.
    let device: String
    /// The log that the process knows; nil before the greeting.
    private(set) var log: LogID?
    /// The states that the process knows; nil if they are due.
    var told: Told?
    private var pacing = LinkPacing()
    /// The maximum length of the batch that is read, in octets.
    private var batchLimit = FleetLimits.batchCount
    /// The orders of a back end.
    var orders: RemoteOrders
    /// The latest times at which orders under way may move the door, by their tickets.
    var lateAt: [UInt64: Instant] = [:]
    /// The desired state that is being kept; nil for none.
    var keeping: Keeping?
    private var readTimer: Timer?
    private var desiredPacing = DesiredPacing()
    private var desiredTimer: Timer?
    private var forgeryTimer: Timer?
    private var silenceTimer: Timer?
    /// The state of the link; nil while the process is not connected, or has not reported it.
    private(set) var status: LinkStatus?

    /// The configured channel; nil for none.
    init?(_ settings: ReaderSettings.Link, _ identity: ReaderIdentity, log: Logger) throws(ReaderdError) {
        guard let path = settings.socket else { return nil }
        device = FleetTopics(deviceID: identity.deviceID).device
        name = settings.name ?? "readerd \(identity.deviceID)"
        terminalKey = identity.terminalKey
        orders = RemoteOrders(device: device, keys: identity.commandKeys)
        try super.init(
            Companion(
                process: "readerd-link", section: "link", path: path, user: settings.user,
                lineLimit: LinkService.requestCount, waitingLimit: LinkService.waitingLimit), log: log)
    }

    /// Calls `perform` with the sequence number of each read when its time has come.
    func paceReads(on reactor: Reactor, _ perform: @escaping (UInt64) -> Void) {
        readTimer = reactor.timer { [weak self, unowned reactor] in
            guard let self, let read = pacing.takeRead(at: reactor.now) else { return }
            batchLimit = read.octets
            perform(read.first)
        }
    }

    /// Disconnects a process that is silent although it knows the reader: its last status says nothing of the present.
    func watchSilence(on reactor: Reactor) {
        silenceTimer = reactor.timer { [weak self] in
            guard let self else { return }
            drop("has been silent for \(silenceLimit.wholeMilliseconds / 1000) s")
        }
    }

    override func noteMessage(at now: Instant) {
        if isGreeted { silenceTimer?.set(now + silenceLimit) }
    }

    /// Asks for parts of the desired state when their time has come.
    func paceDesired(on reactor: Reactor) {
        desiredTimer = reactor.timer { [weak self, unowned reactor] in
            guard let self else { return }
            if orders.desired.need == .manifest { orders.desired.reconsider() }
            if let part = desiredPacing.next(at: reactor.now) { send(.fetch(part)) }
            desiredTimer?.set(desiredPacing.deadline)
        }
    }

    /// Follows what the desired state needs: chunks at once, and later again what has not come.
    func followDesired(afterOrder: Bool = false, at now: Instant) {
        if let part = desiredPacing.follow(orders.desired, afterOrder: afterOrder, at: now) { send(.fetch(part)) }
        desiredTimer?.set(desiredPacing.deadline)
    }

    /// Calls `perform` when no forged order has come for some time.
    func awaitForgeriesEnd(on reactor: Reactor, _ perform: @escaping () -> Void) {
        forgeryTimer = reactor.timer(perform)
    }

    /// Records a forged order.
    func noteForgery(at now: Instant) { forgeryTimer?.set(now + forgeryRest) }

    /// Reads a batch from this sequence number on, whose message has at most so many octets, as soon as the pace
    /// permits; it replaces a read that waits.
    func read(from first: UInt64, octets: Int, at now: Instant) {
        pacing.want(LinkPacing.Read(first: first, octets: octets))
        readTimer?.set(pacing.deadline(at: now))
    }

    override func close() {
        readTimer?.cancel()
        desiredTimer?.cancel()
        forgeryTimer?.cancel()
        silenceTimer?.cancel()
        super.close()
    }

    /// True while the process is connected, and knows the reader.
    var isGreeted: Bool { isConnected && log != nil }

    /// Sends a message, if the process knows the reader.
    func send(_ report: LinkReport) { if isGreeted { send(report.line) } }

    override func record(_ event: Event) {
        switch event {
        case .connected, .lost:
            (log, told, status) = (nil, nil, nil)
            pacing.dropRead()
            orders.forgetNumbers()
            desiredPacing = DesiredPacing()
            desiredTimer?.cancel()
            readTimer?.cancel()
            silenceTimer?.cancel()
        case .request(.status(let status)): self.status = status
        case .request: break
        }
    }

    // MARK: - The log

    /// Reports a part of the log: the greeting at first, or when it is another log; a batch, or the log's end.
    func report(_ slice: LogSlice) throws(CryptoError) {
        guard isConnected, let log = LogID(slice.log) else { return }
        if log != self.log {
            self.log = log
            told = nil
            return send(
                .reader(
                    LinkReader(
                        firmware: FirmwareVersion.text, device: device, name: name, log: log, newest: slice.last)))
        }
        guard let batch = EventBatch(slice, log, device, limit: batchLimit) else { return send(.newest(slice.last)) }
        let body = batch.body
        let signature = try sign(EventBatch.signedOctets(body))
        send(
            .batch(
                EventBatch.text(body, signature: signature), covers: batch.first...batch.last,
                hasGap: batch.gap != nil))
    }

    /// Answers the order of this number.
    func report(_ answer: RemoteAnswer, number: UInt64) throws(CryptoError) {
        let body = answer.body
        let signature = try sign(RemoteAnswer.signedOctets(body))
        send(.answer(RemoteAnswer.text(body, signature: signature), number: number))
    }

    private func sign(_ octets: [UInt8]) throws(CryptoError) -> [UInt8] {
        var signature: [UInt8] = []
        try terminalKey.sign(octets.span, into: &signature)
        return signature
    }
}

extension LinkRequest: CompanionRequest {}

extension EventBatch {
    /// The length in octets of a batch without its events, at most: names, numbers, chain and signature.
    private static let envelopeCount = 512

    /// The batch of a part of a log, up to the limits, or to where records are missing; nil if there is nothing yet.
    /// Its message has at most `limit` octets, or one event.
    init?(_ slice: LogSlice, _ log: LogID, _ device: String, limit: Int) {
        let first = max(slice.first, 1)
        guard first <= slice.last else { return nil }
        // Without any record, all up to the end were removed.
        let begin = slice.records.first?.sequence ?? slice.last + 1
        self.init(
            device: device, log: log, first: first, last: begin - 1, gap: begin > first ? first...(begin - 1) : nil,
            chain: "", events: [])
        var count = EventBatch.envelopeCount
        for record in slice.records {
            let event = record.record.map { EventLine.json($0) } ?? record.damaged
            count += event.utf8.count + 1
            guard record.sequence == last + 1, count <= limit || events.isEmpty else { break }
            events.append(event)
            last = record.sequence
            chain = Hexadecimal.text(record.chain?.octets ?? [])
        }
    }
}

extension StoredRecord {
    /// The event of a record that cannot be decoded; its octets are cut where no record is longer.
    fileprivate var damaged: String {
        let object: JSONObject = [
            "sequence": sequence, "kind": "damaged", "record": Hexadecimal.text(octets.prefix(AuditRecord.octetLimit)),
        ]
        return object.text
    }
}
