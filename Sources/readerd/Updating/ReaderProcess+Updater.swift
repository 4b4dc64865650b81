import JSON
import Reader

extension ReaderProcess {
    /// The reader may be asked for an update from now on, if there is a program for it.
    func startUpdater() {
        guard let updater = operation.updater else { return }
        device.setUpdater(updater.state)
        updater.onChange = { [weak self] state in self?.device.setUpdater(state) }
        updater.onEnd = { [weak self] ending in
            guard let self else { return }
            audit.record(AuditEvent(.updaterEnded, at: auditTime, info: ending.auditInfo, detail: ending.summary))
            settle()
        }
        updater.keep = { [weak self] octets in self?.audit.keep(UpdaterDesk.setting, octets) }
    }

    /// Hands on who is to get an update, behind the packets with the answers.
    func settleUpdater() {
        for request in device.takeUpdateRequests() { operation.updater?.start(request) }
    }

    /// What `status` tells of it.
    var updaterReport: JSONObject {
        var report = JSONObject()
        report.add("state", (operation.updater?.state ?? .absent).name)
        if let last = operation.updater?.last { report.add("last", last.summary) }
        return report
    }
}
