// SPDX-License-Identifier: Apache-2.0

import GPIO
import JSON
import Logging
import NordicProvisioning
import WiFiStation
import System
import Reader
import Timekeeping

/// Wi-Fi provisioning.
extension ReaderProcess {
    /// Advances the gateway after input or a request.
    func moveGateway() {
        device.advanceCompanions(at: moment)
        flush()
    }

    /// Carries out the station's actions, and reports notices.
    func flushGateway() {
        guard let service = operation.provisioning else { return }
        // The results go back to the gateway, which may produce further actions.
        while service.perform() { device.advanceCompanions(at: moment) }
        while let notice = service.companion.gateway.nextNotice() { report(notice) }
    }

    private func report(_ notice: GatewayNotice) {
        // A phone in the window causes as many as it likes.
        paced.log(notice.isWarning ? .warning : .notice, about: "provisioning", "\(notice)")
        followWindow(notice)
        if notice.isWarning { audit.note(.warning, "\(notice)") }
        guard let detail = notice.record else { return }
        audit.record(
            AuditEvent(.command, at: auditTime, channel: notice.channel, command: "wifi", detail: detail))
    }

    func buttonFailed(_ error: GPIOError) {
        log.warning(
            "provisioning.button: \(error); retrying; meanwhile open the window with: readerd provisioning open"
        )
    }

    /// The provisioning part of the status; nil without provisioning.
    var provisioningReport: JSONObject? {
        guard let gateway = operation.provisioning?.companion.gateway else { return nil }
        let status = try? gateway.station.status()
        let wifi =
            switch status?.state {
            case nil: "no-supplicant"
            case .disconnected: "disconnected"
            case .joining: "joining"
            case .connected: "connected"
            }
        return [
            "open": gateway.window != nil, "opened-by": gateway.window?.cause.rawValue,
            "remaining-s": gateway.window.map { max(($0.until - reactor.now).wholeMilliseconds / 1000, 0) },
            "wifi": wifi, "network": status?.network.map { $0.name.text ?? $0.name.description },
            "rssi-dbm": status?.network?.rssi, "ipv4": status?.ipv4?.description,
        ]
    }
}

extension GatewayNotice {
    /// The detail of the event record; nil for no record.
    fileprivate var record: String? {
        switch self {
        case .opened(let cause, let time):
            "opened, \(cause.rawValue), \(time.wholeMilliseconds / 1000) s"
        case .closed(let end): "closed, \(end.rawValue)"
        case .trying(let name): "tries \(name)"
        case .joined(let name, _): "in \(name)"
        case .notJoined(let name, _): "not in \(name)"
        case .forgotten: "forgets all networks"
        case .supplicantReady, .supplicantGone, .phoneConnected, .phoneGone, .lost, .kept, .notSaved:
            nil
        }
    }

    /// The channel of the event record.
    fileprivate var channel: AuditChannel {
        switch self {
        case .opened(.button, _): .local
        case .opened(.control, _), .closed(.control): .control
        case .trying, .notJoined, .forgotten: .bluetooth
        default: .reader
        }
    }
}
