// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import Crypto
import JSON
import LockChannel
import Logging
import Reader
import System
import Timekeeping

/// The Aliro reader that Matter provisions: its key, its group and the keys of users come over the lock's channel.
///
/// A change is recorded, then stored, then in force, then answered. Changes are carried out one at a time.
final class MatterAliro: ReaderAliro {
    private let files: MatterAliroFiles
    /// The keys of users in force.
    private(set) var keys = MatterKeys()
    private var provisioned = Provisioned.idle(nil)
    /// False for a file of keys that cannot be read.
    private var areKeysStored = true
    /// The reason for which the end of access in force is not on the disk; nil if it is.
    private var unwritten: String? {
        didSet { showUnkept() }
    }
    private var waiting: [LockAliroRequest] = []
    private var current: Current?
    private var serial: UInt64 = 0
    /// The phones let in by documents that are reported, until the next keys.
    private var reported: Set<[UInt8]> = []
    /// Sends a message to the lock's process; false while it is not connected.
    var send: (LockReport) -> Bool = { _ in false }
    /// Logs a line about a refusal, within the limits of the process's lines.
    var warn: (String) -> Void = { _ in }

    /// More than the node sends at once.
    private static let waitingLimit = 8
    /// The time for the records of a change, within the time that the node waits for the answer.
    private static let recordingTime = Duration.seconds(4)

    /// The configuration of Matter, and the place of the store.
    private enum Provisioned {
        /// No reader, or one that cannot be used; with the store for the next one, without persistent keys.
        case idle(AliroStore?, point: P256Point? = nil)
        /// A reader with this point, whose door is the device's.
        case configured(P256Point)
        /// A reader whose door is out of force until the change that ends it is stored.
        case suspended(P256Point, AliroDoor)

        /// The point of the configured reader, also if its phones are refused; nil before a configuration.
        var point: P256Point? {
            switch self {
            case .idle(_, let point): point
            case .configured(let point), .suspended(let point, _): point
            }
        }

        /// The store for the next reader; nil if it is the device's, or cannot be read.
        var store: AliroStore? {
            switch self {
            case .idle(let store, _): store
            case .configured: nil
            case .suspended(_, let door): door.store
            }
        }
    }

    private struct Current {
        let request: LockAliroRequest
        let change: MatterAliroChange
        /// `failed` for a part of what was requested.
        let answer: AliroAnswer
        /// Different for each.
        let serial: UInt64
        /// False once its process has gone.
        var isAnswered = true
        /// The records that are not on the disk.
        var awaited: Set<MatterAliroChange.Entry> = []
        var isWriting = false
    }

    init(_ process: ReaderProcess, _ files: MatterAliroFiles) {
        self.files = files
        super.init(process, files.files)
    }

    // MARK: - The start

    override func load() {
        do throws(ReaderdError) {
            try files.wipeFormerReader()
            let reader = try files.reader(settings.aliro)
            provisioned = .idle(nil, point: reader?.key.publicPoint)
            try loadKeys()
            guard let reader else { return try loadIdle() }
            begin(reader, try files.files.loadStore())
        } catch {
            raise(.aliroUnusable, "aliro: \(error); its phones are refused")
            // For the next configuration: it has the revocations of issuers.
            var store = try? files.files.loadStore()
            store?.wipe()
            provisioned = .idle(store, point: provisioned.point)
        }
    }

    /// Without readable keys the store is left as it is: it has the revocations of issuers.
    private func loadKeys() throws(ReaderdError) {
        do throws(ReaderdError) { keys = try files.keys() } catch {
            areKeysStored = false
            throw error
        }
        process.service(ReaderCards.self)?.setOthers(keys.cards, issuers: keys.issuers)
    }

    /// Without a configuration the store has no persistent key: a clearing may have been cut short.
    private func loadIdle() throws(ReaderdError) {
        log.notice("aliro: no configuration of Matter: phones are refused")
        clear(.aliroUnusable)
        guard files.state.has(MatterAliroFiles.storeName) else { return }
        var store = try files.files.loadStore()
        if !store.persistentPoints.isEmpty {
            store.wipe()
            let octets: [UInt8]
            do throws(CryptoError) { octets = try store.octets() } catch {
                throw .failed("\(files.files.store): cannot be wiped: \(error)")
            }
            try files.perform(.store(SecretOctets(octets)))
        }
        provisioned = .idle(store)
    }

    private func begin(_ reader: AliroReader, _ store: consuming AliroStore) {
        begin(reader, store, trusting: keys.anchors, keeping: keys.granted)
        provisioned = .configured(reader.key.publicPoint)
        showGroup()
    }

    /// Names the group in the polling frame.
    private func showGroup() {
        guard settings.nfc.pollingFrame == nil else { return }
        let frame = process.device.reader.aliro.map {
            AliroECP.frame($0.reader.identifier, isAuthenticated: settings.aliro.authentication == .always)
        }
        process.service(ReaderContactless.self)?.contactless.setPollingFrame(frame ?? [])
    }

    // MARK: - Requests

    /// The state for the node.
    var state: LockAliroState {
        LockAliroState(
            verificationKey: provisioned.point.map { point in point.octets.indices.map { point.octets[$0] } })
    }

    /// The key by which a credential opened; nil for one that is not Matter's.
    func place(of evidence: CardEvidence) -> LockAliroPlace? {
        guard evidence.kind == .aliro else { return nil }
        return (keys[evidence.identity] ?? evidence.issuer.flatMap { keys[$0] })?.place
    }

    /// Carries out a request, after those before it.
    func perform(_ request: LockAliroRequest) {
        guard waiting.count < Self.waitingLimit else { return answer(request, .failed, "too many changes at once") }
        waiting.append(request)
        goOn()
    }

    /// Discards the requests that wait: their process has gone, and the next one has the same numbers.
    func forgetRequests() {
        waiting.removeAll()
        current?.isAnswered = false
        reported = []
    }

    private func goOn() {
        while current == nil, !waiting.isEmpty { begin(waiting.removeFirst()) }
    }

    private func begin(_ request: LockAliroRequest) {
        guard var change = change(request) else { return answer(request, .failed, "no keys of P-256, or one twice") }
        if case .keys(let keys) = change.result, !hasRoom(for: keys) {
            return answer(request, .full, "no room for these keys")
        }
        if change.entries.isEmpty, areKeysStored, unwritten == nil {
            // The node may have no room for a phone that a document has let in.
            if case .keys(let keys) = change.result { apply(keys) }
            return answer(request, .done)
        }
        // What a removed fabric has left behind goes also without a record.
        var (mustRecord, result) = (request.author != nil || !change.isRestriction, AliroAnswer.done)
        if mustRecord, let refusal = refusal(change, request) {
            guard request.author == nil, let rest = restriction(of: change) else {
                return answer(request, .failed, refusal)
            }
            (change, mustRecord, result) = (rest, false, .failed)
        }
        for entry in change.entries { record(event(entry, request)) }
        serial += 1
        current = Current(request: request, change: change, answer: result, serial: serial)
        guard mustRecord, !change.entries.isEmpty else { return write() }
        current?.awaited = Set(change.entries)
        reactor.schedule(at: reactor.now + Self.recordingTime) { [weak self, serial] in self?.endWait(for: serial) }
    }

    private func change(_ request: LockAliroRequest) -> MatterAliroChange? {
        switch request.change {
        case .configure(let configuration):
            let settings = settings.aliro
            return MatterAliroChange(configuration) { AliroReader(key: $0, identifier: $1, settings) }
        case .clear:
            return MatterAliroChange(ending: provisioned.point, isThere: files.hasReader)
        case .keys(let list):
            return MatterKeys(list).map { MatterAliroChange($0, replacing: keys) }
        }
    }

    /// The end of access in a change of keys; nil without one.
    private func restriction(of change: MatterAliroChange) -> MatterAliroChange? {
        guard case .keys(let wanted) = change.result else { return nil }
        let rest = MatterAliroChange(keys.restricted(to: wanted), replacing: keys)
        return rest.entries.isEmpty ? nil : rest
    }

    private func hasRoom(for keys: MatterKeys) -> Bool {
        let listed = process.service(ReaderCards.self)?.site?.count(of: .aliro) ?? 0
        return listed + keys.keys.count <= AliroStore.maximumCredentials
            && keys.anchors.count <= AliroStore.maximumAnchors
    }

    private func event(_ entry: MatterAliroChange.Entry, _ request: LockAliroRequest) -> AuditEvent {
        AuditEvent(
            entry.kind, at: auditTime, channel: .matter, actor: request.author?.actor ?? "", detail: entry.detail)
    }

    /// The reason to refuse a change before its records; nil for none.
    private func refusal(_ change: MatterAliroChange, _ request: LockAliroRequest) -> String? {
        if process.device.reader.ledger.isFull || process.device.reader.ledger.fault != nil {
            return "the event log takes no records"
        }
        guard let entry = change.entries.first else { return nil }
        return process.hasRoom(for: event(entry, request), count: change.entries.count)
            ? nil : ControlAnswer.Refusal.tooOften.text
    }

    // MARK: - Records

    override func receive(_ event: inout StoredEvent) {
        let record = event.record.event
        guard let current, !current.isWriting, record.channel == .matter,
            record.actor == current.request.author?.actor ?? ""
        else { return }
        self.current?.awaited.remove(MatterAliroChange.Entry(kind: record.kind, detail: record.detail))
        if self.current?.awaited.isEmpty == true { write() }
    }

    /// Refuses a change whose records are late.
    private func endWait(for serial: UInt64) {
        guard let current, !current.isWriting, current.serial == serial else { return }
        withdraw("its records are late")
    }

    /// Ends the current change without an effect.
    private func withdraw(_ why: String) {
        guard let current else { return }
        if case .suspended(let point, let door) = provisioned {
            process.device.reader.aliro = door
            provisioned = .configured(point)
        }
        for entry in current.change.entries {
            var event = event(entry, current.request)
            event.kind = .withdrawn
            record(event)
        }
        end(current, .failed, why)
    }

    private func end(_ finished: Current, _ result: AliroAnswer, _ why: String? = nil) {
        current = nil
        if finished.isAnswered { answer(finished.request, result, why) }
        goOn()
    }

    // MARK: - Writing

    private func write() {
        guard let writer, let change = current?.change else { return withdraw("the process has no thread left") }
        do throws(CryptoError) {
            let writes = try writes(of: change.result)
            current?.isWriting = true
            writer.perform(writes)
        } catch { withdraw("\(error)") }
    }

    /// The writes of a change. The persistent keys end before the reader does, so that no cut leaves them to another.
    private func writes(of result: MatterAliroChange.Result) throws(CryptoError) -> [AliroWrite] {
        switch result {
        case .keys(let keys): return [.keys(try keys.octets())]
        case .reader(let reader, let configuration):
            suspendDoor()
            return [
                .store(try wipedStore(bound: reader.binding)), .reader(try MatterAliroFiles.octets(of: configuration)),
            ]
        case .noReader:
            suspendDoor()
            // A store that cannot be read stays until a configuration replaces it.
            guard let binding = provisioned.store?.binding else { return [.endReader] }
            return [.store(try wipedStore(bound: binding)), .endReader]
        }
    }

    /// From here on no phone opens by a reader that ends.
    private func suspendDoor() {
        process.device.reader.endAliroTransactions()
        guard case .configured(let point) = provisioned, let door = process.device.reader.aliro else { return }
        provisioned = .suspended(point, door)
        process.device.reader.aliro = nil
    }

    /// The store without persistent keys; an unreadable one is replaced by an empty one.
    private func wipedStore(bound binding: AliroBinding) throws(CryptoError) -> SecretOctets {
        var store = provisioned.store ?? AliroStore(binding: binding)
        store.bind(to: binding)
        store.wipe()
        return SecretOctets(try store.octets())
    }

    override var unkept: String? { unwritten ?? super.unkept }

    override func finish(_ result: AliroStoreWriter.Result) {
        guard let current else { return }
        defer { flush() }
        if case .failed(let why) = result {
            guard current.request.author == nil, current.change.isRestriction else { return withdraw(why) }
            // Of a removed fabric: in force all the same. The node repeats it after a restart.
            unwritten = why
            apply(current.change.result)
            return end(current, .failed, why)
        }
        unwritten = nil
        apply(current.change.result)
        for entry in current.change.entries { log.notice("aliro: \(entry.kind.name): \(entry.detail)") }
        end(current, current.answer)
    }

    private func apply(_ result: MatterAliroChange.Result) {
        if case .keys(let keys) = result { return apply(keys) }
        var store = provisioned.store
        // Now this copy is the only one.
        provisioned = .idle(nil)
        store?.wipe()
        if case .reader(let reader, _) = result {
            begin(reader, store ?? AliroStore(binding: reader.binding))
        } else {
            provisioned = .idle(store)
            clear(.aliroUnusable)
            showRevocations()
            showGroup()
        }
    }

    private func apply(_ keys: MatterKeys) {
        let wereStored = areKeysStored
        areKeysStored = true
        // The reader of the files was not begun without its keys. One that was configured since then has its store.
        if !wereStored, process.device.reader.aliro == nil { return load() }
        self.keys = keys
        reported = []
        // The list first: what the store follows.
        process.service(ReaderCards.self)?.setOthers(keys.cards, issuers: keys.issuers)
        guard process.device.reader.aliro?.trusts(keys.anchors, keeping: keys.granted) == false else { return }
        // One of them may be of a phone that was removed.
        process.device.reader.endAliroTransactions()
        var door = process.device.reader.aliro
        // The copy is then the only one.
        process.device.reader.aliro = nil
        _ = door?.trust(keys.anchors, keeping: keys.granted)
        process.device.reader.aliro = door
        isChanged = true
    }

    // MARK: - Reports

    private func answer(_ request: LockAliroRequest, _ answer: AliroAnswer, _ why: String? = nil) {
        if let why { warn("a change of Aliro, refused: \(why)") }
        _ = send(.aliro(request: request.number, answer))
    }

    override func report() {
        let mayHaveGrants = isChanged
        super.report()
        if mayHaveGrants { reportGrants() }
    }

    /// Reports phones that documents have let in, for the lock's table.
    private func reportGrants() {
        guard let store = process.device.reader.aliro?.store else { return }
        for credential in store.credentials {
            guard let grant = credential.grant, keys[credential.point] == nil, !reported.contains(credential.point),
                let issuer = keys[grant.anchor]?.place, issuer.kind == .issuer
            else { continue }
            guard send(.granted(LockAliroGrant(issuer: issuer.index, point: credential.point))) else { return }
            reported.insert(credential.point)
        }
    }

    override var status: (name: String, report: JSONObject)? {
        guard process.device.reader.aliro == nil, !process.faults.has(.aliroUnusable) else { return super.status }
        return ("aliro", ["state": "unconfigured", "credentials": keys.keys.count])
    }
}
