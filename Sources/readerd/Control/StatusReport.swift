// SPDX-License-Identifier: Apache-2.0

import Configuration
import EventStore
import JSON
import System
import Reader
import Timekeeping

extension ReaderProcess {
    /// The status, for `readerd status` and monitors; docs/operate/control.md describes every member.
    var statusReport: JSONObject {
        var report: JSONObject = [
            "version": FirmwareVersion.text, "device": setup.deviceID, "demo-identity": setup.isDemo,
            "uptime-s": (reactor.now - stage.startedAt).wholeMilliseconds / 1000, "door": doorReport,
            "links": linksReport, "gate": setup.settings.proximity.report, "controller": controllerReport,
            "nfc": service(ReaderContactless.self)?.report,
            "events": eventsReport, "clock": clockReport,
        ]
        for service in services {
            if let (name, part) = service.status { report.add(name, json: part.json) }
        }
        if let seconds = service(ReaderControl.self)?.restart.seconds(at: reactor.now) {
            report.add(
                "restart", ["waits-s": seconds, "disturbs": disturbances.map(\.rawValue)] as JSONObject)
        }
        report.add("faults", json: faults.faults.map(faultReport).json)
        return report
    }

    private var doorReport: JSONObject {
        let door = device.reader.doorStatus
        return [
            "state": door.state.rawValue, "open": door.standsOpen, "alarm": door.alarm?.rawValue,
            "tampered": door.isTampered, "blocked": door.isBlocked, "openings": door.openings,
            "sign": door.sign?.rawValue, "lights": lightsReport,
            "simulated-lock": setup.settings.gpio.lines[.lock] == nil,
        ]
    }

    /// The levels of lights and buzzer as they were set; none for an output that cannot be set.
    private var lightsReport: JSONObject {
        var report = JSONObject()
        for output in DoorOutput.allCases where output != .lock && !reported.failingOutputs.contains(output) {
            report.add(output.key.rawValue, lines.record.level(of: output) ?? false)
        }
        return report
    }

    private var linksReport: JSONObject {
        ["served": device.reader.servedLinks, "max": device.reader.configuration.maximumLinks]
    }

    private var controllerReport: JSONObject {
        [
            "name": setup.controller, "ready": servesPhones, "advertising": metrics.isAdvertising,
            "modes": device.modes.map { ["mode": $0.mode.rawValue, "state": $0.state.rawValue] as JSONObject },
            "failures": metrics.controllerFailures,
        ]
    }

    private var eventsReport: JSONObject {
        [
            "state": device.reader.ledger.fault != nil ? "failing" : device.reader.ledger.isFull ? "full" : "ok",
            "waiting": device.reader.ledger.pending,
            "last": audit.state?.last, "records": audit.state?.count,
        ]
    }

    private var clockReport: JSONObject {
        ["time": EventLine.time(auditTime).orNull, "quality": auditTime.quality.name, "holiday": holiday]
    }

    /// The name of today's holiday or closed day; nil for none, and while the clock is not set.
    private var holiday: String? {
        let configuration = device.reader.configuration
        let lists = [configuration.credentials.holidays, configuration.officeHours.closedDays]
        guard lists.allSatisfy(\.isKnown) else { return "unknown: schedules do not hold" }
        return auditTime.local.flatMap { now in lists.lazy.compactMap { $0.first(on: now)?.name }.first }
    }

    private func faultReport(_ fault: Fault) -> JSONObject {
        let seconds = (moment.instant - fault.since).wholeMilliseconds / 1000
        // The fault may have begun before the clock was set.
        let epochSeconds = fault.epochSeconds ?? moment.epochSeconds.map { $0 - seconds }
        let since = AuditTime(
            Moment(instant: fault.since, epochSeconds: epochSeconds), zone: device.reader.configuration.zone)
        return [
            "code": fault.code.rawValue, "since": EventLine.time(since).orNull, "for-s": seconds, "times": fault.times,
            "text": fault.text,
        ]
    }
}
