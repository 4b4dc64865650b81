import JSON
import Reader

extension ReaderProcess {
    /// The reader may be asked for an update from now on, if there is a program for it.
    func startUpdater() {
        guard let updater = operation.updater else { return }
        device.reader.updater = updater.state
        updater.onChange = { [weak self] state in self?.device.reader.updater = state }
        updater.onEnd = { [weak self] ending in
            guard let self else { return }
            audit.record(AuditEvent(.updaterEnded, at: auditTime, info: ending.auditInfo, detail: ending.summary))
            settle()
        }
        updater.keep = { [weak self] octets in self?.audit.keep(UpdaterService.setting, octets) }
    }

    /// What `status` tells of it.
    var updaterReport: JSONObject {
        var report = JSONObject()
        report.add("state", (operation.updater?.state ?? .absent).name)
        if let last = operation.updater?.last { report.add("last", last.summary) }
        return report
    }
}
