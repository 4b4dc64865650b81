// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import Crypto
import JSON
import Logging
import Reader
import System
import Timekeeping

/// The Aliro reader of the process: its key and store from the state directory, and the writes of the store.
class ReaderAliro: ReaderService {
    unowned let process: ReaderProcess
    private let files: AliroFiles
    let writer: AliroStoreWriter?
    private var watch: Watch?
    /// True if the store is to be written.
    var isChanged = false
    /// The pause after a failed write, which doubles with each: a store with a revocation does not wait for its next
    /// change.
    private var pause = ReaderAliro.firstPause
    /// The fault of the last write of the store, which the end of the process tries once more; nil after a good one.
    private var storeFault: String? {
        didSet { showUnkept() }
    }
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(60)
    private lazy var retryTimer = reactor.timer { [weak self] in
        self?.isChanged = true
        self?.flush()
    }
    /// The time for the last write at the end.
    private static let closeTimeout = Duration.milliseconds(500)

    init(_ process: ReaderProcess, _ files: AliroFiles) {
        self.process = process
        self.files = files
        writer = AliroStoreWriter(files.state, store: files.store)
    }

    /// Loads key and store. Without them phones are refused.
    func start() throws(SystemError) {
        if let writer {
            watch = try reactor.watch(writer.descriptor, .readable) { [weak self] _ in self?.written() }
        }
        load()
    }

    /// Loads key and store of the settings' reader.
    func load() {
        do throws(ReaderdError) {
            let reader = try files.reader(settings.aliro)
            begin(reader, try files.loadStore(), trusting: settings.aliro.anchors, keeping: nil)
        } catch {
            raise(.aliroUnusable, "aliro: \(error); its phones are refused; then restart")
        }
    }

    /// Serves phones by this reader and store.
    func begin(
        _ reader: AliroReader, _ store: consuming AliroStore, trusting anchors: [AliroAnchor],
        keeping granted: Set<[UInt8]>?
    ) {
        if store.binding != reader.binding { isChanged = true }
        var door = AliroDoor(reader: reader, store: store)
        door.advertisement = settings.aliro.advertisement(of: reader.identifier)
        if door.trust(anchors, keeping: granted) { isChanged = true }
        process.device.reader.aliro = door
        let point = AliroFiles.text(reader.key.publicPoint)
        log.notice("aliro: reader \(point), \(door.store.credentials.count) phones known")
        clear(.aliroUnusable)
        showRevocations()
    }

    /// Shows whether the store in force refuses all phones; without a reader there is none.
    func showRevocations() {
        guard let store = process.device.reader.aliro?.store, store.revokedCount == nil else {
            return clear(.aliroOverfull)
        }
        raise(
            .aliroOverfull,
            "aliro: an issuer has revoked more than \(AliroLedger.maximumRevoked) phones; all are refused until a phone "
                + "brings a document that replaces the list")
    }

    func receive(_ event: inout StoredEvent) {}

    func perform(_ effect: ReaderEffect) {
        if case .aliroStore = effect { isChanged = true }
    }

    /// Follows the blacklist.
    func settle() { process.device.reader.followPolicy() }

    /// Writes the changed store, after the door and the packets.
    func report() {
        guard isChanged, let store = process.device.reader.aliro?.store else { return }
        isChanged = false
        showRevocations()
        guard let writer else { return storeFault = "the process has no thread left" }
        do throws(CryptoError) { writer.write(try store.octets()) } catch { storeFault = "\(error)" }
    }

    func stop() {
        if storeFault != nil { isChanged = true }
    }

    func release() {
        watch?.cancel()
        watch = nil
        retryTimer.cancel()
        guard let writer, !writer.end(within: ReaderAliro.closeTimeout) else { return }
        log.error("aliro: no response from the disk: the last changes may be lost")
    }

    private func written() {
        guard let results = writer?.takeResults() else { return }
        if let result = results.store { storeWritten(result) }
        if let result = results.change { finish(result) }
    }

    /// Handles the end of a write of the store. A failed one is repeated, with the store of that time.
    private func storeWritten(_ result: AliroStoreWriter.Result) {
        switch result {
        case .done: (pause, storeFault) = (ReaderAliro.firstPause, nil)
        case .failed(let why):
            storeFault = why
            retryTimer.set(reactor.now + pause)
            pause = min(pause * 2, ReaderAliro.longestPause)
        }
    }

    /// Handles the end of a change, of which the site's own reader has none.
    func finish(_ result: AliroStoreWriter.Result) {}

    /// The reason for which a change in force is not on the disk; nil for none.
    var unkept: String? { storeFault }

    /// Shows whether all that is in force is on the disk.
    func showUnkept() {
        guard let unkept else { return clear(.aliroUnkept) }
        raise(.aliroUnkept, "aliro: the store cannot be kept: \(unkept); a restart loses its changes")
    }

    var status: (name: String, report: JSONObject)? {
        guard let door = process.device.reader.aliro else { return ("aliro", ["state": "unusable"]) }
        return (
            "aliro",
            [
                "state": "ready", "key": AliroFiles.text(door.reader.key.publicPoint),
                "certified": door.reader.certificate != nil, "fast": door.reader.isFastOffered,
                "credentials": door.store.credentials.count, "persistent-keys": door.store.persistentPoints.count,
                "issuers": door.store.anchors.count, "revoked": door.store.revokedCount.orNull,
                "bluetooth": settings.advertising.modes.contains(.aliro) && door.advertisement != nil,
            ]
        )
    }
}

extension ReaderAliro {
    /// The Aliro reader of the settings: Matter's, or the site's own.
    static func make(_ process: ReaderProcess, state: StateDirectory) -> ReaderAliro {
        process.setup.settings.matter.hasAliro
            ? MatterAliro(process, MatterAliroFiles(state: state)) : ReaderAliro(process, AliroFiles(state: state))
    }
}
