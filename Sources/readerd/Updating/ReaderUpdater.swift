// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader
import Timekeeping

/// The platform's updater, which phones and a panel request.
final class ReaderUpdater: ReaderService {
    unowned let process: ReaderProcess
    let updater: UpdaterService
    /// Called with the end of each run, once it is recorded.
    var onEnd: (UpdaterProgram.Ending) -> Void = { _ in }

    init(_ process: ReaderProcess, _ updater: UpdaterService) { (self.process, self.updater) = (process, updater) }

    /// Makes the updater available to phones' requests, if one is configured.
    func start() {
        process.device.reader.updater = updater.state
        updater.onChange = { [weak self] state in self?.process.device.reader.updater = state }
        updater.onEnd = { [weak self] ending in
            guard let self else { return }
            record(AuditEvent(.updaterEnded, at: auditTime, info: ending.auditInfo, detail: ending.summary))
            onEnd(ending)
            flush()
        }
        updater.keep = { [weak self] octets in self?.audit.keep(UpdaterService.setting, octets) }
    }

    func adopt(_ contents: StoredContents) { updater.adopt(contents.settings[UpdaterService.setting]) }

    func perform(_ effect: ReaderEffect) { if case .update(let request) = effect { updater.start(request) } }

    func stop() { updater.close() }

    func close() { updater.close() }

    var status: (name: String, report: JSONObject)? {
        ("updater", ["state": updater.state.rawValue, "last": updater.last?.summary])
    }
}
