// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader

extension ReaderProcess {
    /// Makes the updater available to phones' requests, if one is configured.
    func startUpdater() {
        guard let updater = operation.updater else { return }
        device.reader.updater = updater.state
        updater.onChange = { [weak self] state in self?.device.reader.updater = state }
        updater.onEnd = { [weak self] ending in
            guard let self else { return }
            audit.record(AuditEvent(.updaterEnded, at: auditTime, info: ending.auditInfo, detail: ending.summary))
            operation.panel?.update.ended(isDone: ending == .exited(0))
            flush()
        }
        updater.keep = { [weak self] octets in self?.audit.keep(UpdaterService.setting, octets) }
    }

    /// The updater's part of the status.
    var updaterReport: JSONObject {
        ["state": (operation.updater?.state ?? .absent).rawValue, "last": operation.updater?.last?.summary]
    }
}
