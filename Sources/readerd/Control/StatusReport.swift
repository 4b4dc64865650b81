// SPDX-License-Identifier: Apache-2.0

import EventStore
import JSON
import System
import Reader
import Timekeeping

extension ReaderProcess {
    /// The status, for `readerd status` and monitors; docs/control.md describes every member.
    var statusReport: JSONObject {
        var report = JSONObject()
        report.add("version", FirmwareVersion.text)
        report.add("device", operation.deviceID)
        report.add("demo-identity", operation.isDemo)
        report.add("uptime-s", (reactor.now - startedAt).wholeMilliseconds / 1000)
        report.add("door", doorReport)
        report.add("links", linksReport)
        report.add("controller", controllerReport)
        if let nfcReport { report.add("nfc", nfcReport) }
        report.add("events", eventsReport)
        report.add("clock", clockReport)
        report.add("updater", updaterReport)
        if let provisioningReport { report.add("provisioning", provisioningReport) }
        if let panelReport { report.add("osdp", panelReport) }
        if let wiegandReport { report.add("wiegand", wiegandReport) }
        if let matterReport { report.add("matter", matterReport) }
        if let linkReport { report.add("link", linkReport) }
        report.add("faults", faults.faults.map(faultReport))
        return report
    }

    private var doorReport: JSONObject {
        let door = device.reader.doorStatus
        var report = JSONObject()
        report.add("state", door.state.rawValue)
        report.add("open", door.standsOpen)
        if let alarm = door.alarm { report.add("alarm", "\(alarm)") }
        report.add("tampered", door.isTampered)
        report.add("blocked", door.isBlocked)
        report.add("openings", door.openings)
        report.add("simulated-lock", operation.settings.gpio.lines[.lock] == nil)
        return report
    }

    private var linksReport: JSONObject {
        var report = JSONObject()
        report.add("served", device.reader.servedLinks)
        report.add("max", device.reader.configuration.maximumLinks)
        return report
    }

    private var controllerReport: JSONObject {
        var report = JSONObject()
        report.add("name", operation.controller)
        report.add("ready", metrics.isControllerReady)
        report.add("advertising", metrics.isAdvertising)
        report.add("failures", metrics.controllerFailures)
        return report
    }

    private var nfcReport: JSONObject? {
        guard let contactless else { return nil }
        var report = JSONObject()
        report.add("connection", contactless.connection)
        report.add("state", contactless.state.name)
        report.add("failures", contactless.failures)
        report.add("activations", contactless.activations)
        return report
    }

    private var eventsReport: JSONObject {
        var report = JSONObject()
        report.add("state", audit.fault != nil ? "failing" : audit.isFull ? "full" : "ok")
        report.add("waiting", audit.pending)
        if let state = audit.state {
            report.add("last", state.last)
            report.add("records", state.count)
        }
        return report
    }

    private var clockReport: JSONObject {
        var report = JSONObject()
        report.add("time", orNull: EventLine.time(auditTime))
        report.add("quality", "\(auditTime.quality)")
        return report
    }

    private func faultReport(_ fault: Fault) -> JSONObject {
        var report = JSONObject()
        report.add("code", fault.code.rawValue)
        let seconds = (moment.instant - fault.since).wholeMilliseconds / 1000
        // The fault may have begun before the clock was set.
        let epochSeconds = fault.epochSeconds ?? moment.epochSeconds.map { $0 - seconds }
        let since = AuditTime(
            Moment(instant: fault.since, epochSeconds: epochSeconds), zone: device.reader.configuration.zone)
        report.add("since", orNull: EventLine.time(since))
        report.add("for-s", seconds)
        report.add("times", fault.times)
        report.add("text", fault.text)
        return report
    }
}
