import EventStore
import JSON
import Reactor
import Reader
import Timekeeping

extension ReaderProcess {
    /// How the reader is, for `readerd status` and for monitors; docs/control.md has every member.
    var statusReport: JSONObject {
        var report = JSONObject()
        report.add("version", readerdVersion)
        report.add("device", operation.deviceID)
        report.add("demo-identity", operation.isDemo)
        report.add("uptime-s", (reactor.now - startedAt).wholeMilliseconds / 1000)
        report.add("door", doorReport)
        report.add("links", linksReport)
        report.add("controller", controllerReport)
        if let nfcReport { report.add("nfc", nfcReport) }
        report.add("events", eventsReport)
        report.add("clock", clockReport)
        report.add("faults", json: "[" + faults.map(JSONObject.quoted).joined(separator: ",") + "]")
        return report
    }

    private var doorReport: JSONObject {
        let door = device.doorStatus
        var report = JSONObject()
        report.add("state", door.state.rawValue)
        report.add("open", door.standsOpen)
        if let alarm = door.alarm { report.add("alarm", "\(alarm)") }
        report.add("tampered", door.isTampered)
        report.add("blocked", door.isBlocked)
        report.add("openings", door.openings)
        report.add("simulated-lock", operation.settings.gpio.lock == nil)
        return report
    }

    private var linksReport: JSONObject {
        var report = JSONObject()
        report.add("served", device.servedLinks)
        report.add("max", device.maximumLinks)
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
        report.add("time", json: EventLine.time(auditTime).map(JSONObject.quoted) ?? "null")
        report.add("quality", "\(auditTime.quality)")
        return report
    }

    /// What does not work, each in a line.
    private var faults: [String] {
        var faults: [String] = []
        if let fault = metrics.controllerFault {
            faults.append("controller: \(fault.summary)")
        } else if !metrics.isControllerReady {
            faults.append("controller: not ready yet")
        }
        if case .failed(let why) = contactless?.state { faults.append("nfc: \(why)") }
        for output in DoorOutput.allCases where failing.contains(output) {
            faults.append("line: \(output.rawValue) could not be set")
        }
        if let fault = audit.fault { faults.append("events: \(fault.summary)") }
        if audit.isFull { faults.append("events: the log is full, and nobody is let in until it is cleared") }
        if auditTime.quality == .unset { faults.append("clock: not set, so no credential can be checked") }
        return faults
    }
}
