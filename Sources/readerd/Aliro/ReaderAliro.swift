// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import Crypto
import JSON
import Logging
import Reader
import System

/// The Aliro reader of the process: its key and store from the state directory, and the writes of the store.
final class ReaderAliro: ReaderService {
    unowned let process: ReaderProcess
    private let files: AliroFiles
    private let writer: AliroStoreWriter?
    private var watch: Watch?
    private var isChanged = false
    /// The time for the last write at the end.
    private static let closeTimeout = Duration.milliseconds(500)

    init(_ process: ReaderProcess, state: StateDirectory) {
        self.process = process
        files = AliroFiles(state: state)
        writer = AliroStoreWriter(state)
    }

    /// Loads key and store. Without them phones are refused.
    func start() throws(SystemError) {
        if let writer {
            watch = try reactor.watch(writer.descriptor, .readable) { [weak self] _ in self?.written() }
        }
        do throws(ReaderdError) {
            let reader = try files.reader(settings.aliro)
            var store = try files.store(of: reader)
            if store.setAnchors(settings.aliro.anchors) { isChanged = true }
            if store.binding != reader.binding { isChanged = true }
            process.device.reader.aliro = AliroDoor(reader: reader, store: store)
            let point = AliroFiles.text(reader.key.publicPoint)
            log.notice("aliro: reader \(point), \(store.credentials.count) phones known")
            clear(.aliroUnusable)
        } catch {
            raise(.aliroUnusable, "aliro: \(error); its phones are refused; then restart")
        }
    }

    func perform(_ effect: ReaderEffect) {
        if case .aliroStore = effect { isChanged = true }
    }

    /// Follows the blacklist.
    func settle() { process.device.reader.followPolicy() }

    /// Writes the changed store, after the door and the packets.
    func report() {
        guard isChanged, let store = process.device.reader.aliro?.store else { return }
        isChanged = false
        guard let writer else { return unkept("the process has no thread left") }
        do throws(CryptoError) { writer.write(try store.octets()) } catch { unkept("\(error)") }
    }

    func release() {
        watch?.cancel()
        watch = nil
        guard let writer, !writer.end(within: ReaderAliro.closeTimeout) else { return }
        log.error("aliro: no response from the disk: the last changes may be lost")
    }

    private func written() {
        guard let fault = writer?.result() else { return clear(.aliroUnkept) }
        unkept(fault)
    }

    private func unkept(_ why: String) {
        raise(.aliroUnkept, "aliro: the store cannot be kept: \(why); a restart loses its changes")
    }

    var status: (name: String, report: JSONObject)? {
        guard let door = process.device.reader.aliro else { return ("aliro", ["state": "unusable"]) }
        return (
            "aliro",
            [
                "state": "ready", "key": AliroFiles.text(door.reader.key.publicPoint),
                "certified": door.reader.certificate != nil, "fast": door.reader.isFastOffered,
                "credentials": door.store.credentials.count, "persistent-keys": door.store.persistentPoints.count,
                "issuers": door.store.anchors.count,
            ]
        )
    }
}
