// SPDX-License-Identifier: Apache-2.0

import GPIO
import JSON
import Logging
import NordicProvisioning
import WiFi
import WiFiStation
import System
import Reader
import Timekeeping

/// Wi-Fi provisioning: the gateway among the reader's companion devices.
final class ReaderGateway: ReaderService {
    unowned let process: ReaderProcess
    let service: GatewayService
    /// Called with each notice of the gateway.
    var onNotice: (GatewayNotice) -> Void = { _ in }
    /// The lines that a phone in the window can cause at will.
    private let paced: PacedLog

    init(_ process: ReaderProcess, _ service: GatewayService) {
        (self.process, self.service) = (process, service)
        paced = PacedLog(process.log, process.reactor, limit: 60)
    }

    func start() {
        service.start(
            failed: { [weak self] error in
                self?.log.warning(
                    """
                    provisioning.button: \(error); retrying; meanwhile open the window with: readerd provisioning open
                    """)
            }, onInput: { [weak self] in self?.advance() })
    }

    func close() { service.close() }

    /// Advances the gateway after input or a request.
    func advance() {
        process.device.advanceCompanions(at: moment)
        flush()
    }

    /// Performs the station's actions, and reports notices.
    func settle() {
        // The results go back to the gateway, which may produce further actions.
        while service.perform() { process.device.advanceCompanions(at: moment) }
        while let notice = service.companion.gateway.nextNotice() { report(notice) }
    }

    func perform(_ verb: TimedVerb, seconds: Int64, ticket: UInt64) -> TimedOutcome? {
        guard verb == .provisioning else { return nil }
        guard seconds > 0 else { return service.closeWindow() ? .done : .refused(.windowClosed) }
        service.open(.control, for: .seconds(seconds))
        return .done
    }

    var missing: MissingParts {
        let status = try? service.companion.gateway.station.status()
        return status?.state == .connected ? [] : .network
    }

    private func report(_ notice: GatewayNotice) {
        // A phone in the window causes as many as it likes.
        paced.log(notice.isWarning ? .warning : .notice, about: "provisioning", "\(notice)")
        onNotice(notice)
        if notice.isWarning { audit.writeLine(.warning, "\(notice)") }
        guard let detail = notice.record else { return }
        record(
            AuditEvent(.command, at: auditTime, channel: notice.channel, command: "wifi", detail: detail))
    }

    var status: (name: String, report: JSONObject)? {
        let gateway = service.companion.gateway
        let status = try? gateway.station.status()
        let wifi =
            switch status?.state {
            case nil: "no-supplicant"
            case .disconnected: "disconnected"
            case .joining: "joining"
            case .connected: "connected"
            }
        let report: JSONObject = [
            "open": gateway.window != nil, "opened-by": gateway.window?.cause.rawValue,
            "remaining-s": gateway.window.map { max(($0.until - reactor.now).wholeMilliseconds / 1000, 0) },
            "wifi": wifi, "network": status?.network.map { $0.name.text ?? $0.name.description },
            "rssi-dbm": status?.network?.rssi, "ipv4": status?.ipv4?.description,
        ]
        return ("provisioning", report)
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
