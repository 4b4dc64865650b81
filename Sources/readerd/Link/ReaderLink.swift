// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import EventStore
import Fleet
import JSON
import Logging
import Octets
import Reader
import Remote
import System
import Timekeeping

/// The link to a fleet: states and events for its process. Of what comes from there only a signed order moves the door.
final class ReaderLink: ReaderService {
    unowned let process: ReaderProcess
    let link: LinkService

    init(_ process: ReaderProcess, _ link: LinkService) { (self.process, self.link) = (process, link) }

    // MARK: - The life of the process

    func adopt(_ contents: StoredContents) {
        link.orders.restore(
            contents.settings[RemoteOrders.setting], begunAt: contents.settings[PolicyDocument.begunAt])
        restoreDesired(
            contents.settings[DesiredState.setting], addedAt: contents.settings[PolicyDocument.blacklistAddedAt])
        beginOrders()
    }

    func serve() {
        start(link, absent: .linkAbsent, without: "link") { $0.handle($1) }
        link.paceReads(on: reactor) { [weak self] first in
            // A store that accepts no more is asked again when the process asks again.
            _ = self?.audit.slice(from: first, limit: FleetLimits.eventsPerBatch)
            self?.flush()
        }
        link.paceDesired(on: reactor)
        link.watchSilence(on: reactor)
        link.awaitForgeriesEnd(on: reactor) { [weak self] in
            self?.clear(.linkForged)
            self?.flush()
        }
    }

    func reconfigured(from former: ReaderSettings) {
        applyDesiredSettings(formerly: former.link.maySet)
        reconsiderDesired()
    }

    func close() { link.close() }

    // MARK: - Events

    func perform(_ effect: ReaderEffect) {
        switch effect {
        case .operated(.remote(let ticket), _, let refusal): endOrder(ticket, refusal.map { RemoteAnswer.Reason($0) })
        case .store(let request):
            if case .blacklist(let change) = request.work, change.adds {
                link.orders.desired.noteAddition(at: moment.latestSeconds)
            }
        default: break
        }
    }

    func receive(_ outcome: EventRecorder.Outcome) {
        switch outcome {
        case .sliced(let slice): handle(slice)
        case .orderKept(let ticket, let isKept): keptOrder(ticket, isKept)
        case .desiredKept(let version, let isKept): keptDesired(version, isKept)
        default: break
        }
    }

    func receive(_ event: inout StoredEvent) {
        if link.isGreeted { link.send(.occasion(event.json, kind: event.record.event.kind.name)) }
    }

    func receive(_ verdict: OpeningVerdict) {
        if case .operator(.remote(let ticket)) = verdict.opening { link.orders.recorded(ticket, verdict.sequence) }
    }

    func clockChanged() { beginOrders() }

    func faultsChanged() { link.told = nil }

    var disturbance: Disturbance? { link.orders.areUnderWay ? .orders : nil }

    private func handle(_ event: LinkService.Event) {
        switch event {
        case .connected: greet()
        case .lost: for code in FaultCode.link { clear(code) }
        case .request(.read(let first, let octets)):
            link.read(from: first, octets: octets, at: reactor.now)
        case .request(.order(let octets, let isRetained, let number)):
            // One too many is sent again by its sender.
            if link.takeOrder() == true { receive(order: octets, isRetained: isRetained, number) }
        case .request(.chunk(let octets, let index)): receive(chunk: octets, index)
        case .request(.status(let status)):
            for fault in LinkFault.allCases {
                guard let code = FaultCode(fault) else { continue }
                guard let text = status.faults[fault] else {
                    clear(code)
                    continue
                }
                // Texts of the process must not control a terminal.
                raise(code, "link: \(text.printable)")
            }
        }
    }

    /// Asks the store for the log, which the greeting names.
    private func greet() { _ = audit.slice(from: 0, limit: 0) }

    /// Reports a part of the log to the process, which repeats its request for an unreadable part.
    private func handle(_ slice: LogSlice?) {
        guard let slice else {
            guard link.isConnected, !link.isGreeted else { return }
            reactor.schedule(at: reactor.now + LinkService.retry) { [weak self] in self?.greet() }
            return
        }
        do throws(CryptoError) { try link.report(slice) } catch {
            log.error("link: the terminal key does not sign: \(error)")
        }
        link.noteMessage(at: reactor.now)
    }

    /// Reports the states of the door and the end of the log to the process, if they have changed.
    func report() {
        guard link.isGreeted else { return }
        let told = LinkService.Told(
            door: process.device.reader.doorStatus, last: audit.state?.last ?? 0, desired: link.orders.desired.report)
        guard told != link.told else { return }
        if told.last != link.told?.last { link.send(.newest(told.last)) }
        link.told = told
        link.send(.state(stateReport(told).text))
    }

    private func stateReport(_ told: LinkService.Told) -> JSONObject {
        [
            "lock": told.door.isUnlocked ? "UNLOCKED" : "LOCKED", "state": told.door.state.rawValue,
            "open": told.door.standsOpen, "alarm": told.door.alarm?.rawValue, "tampered": told.door.isTampered,
            "sequence": told.last, "clock": auditTime.quality.name,
            "faults": process.faults.faults.map(\.code.rawValue),
            "desired": told.desired.object,
        ]
    }

    var status: (name: String, report: JSONObject)? {
        (
            "link",
            [
                "process": link.isConnected, "connected": link.status?.isConnected ?? false,
                "delivered": link.status?.delivered,
            ]
        )
    }
}

extension DesiredState.Report {
    /// The report as an object of JSON; nil if no back end has desired anything.
    fileprivate var object: JSONObject? {
        guard version != nil || pending != nil || refused != nil else { return nil }
        let underway = pending.map { pending -> JSONObject in
            ["version": pending.version, "chunks": pending.chunks, "missing": pending.missing]
        }
        let refusal = refused.map { refused -> JSONObject in
            ["version": refused.version, "reason": refused.reason.rawValue]
        }
        return ["version": version, "digest": digest, "pending": underway, "refused": refusal]
    }
}

extension FaultCode {
    /// The code of a fault of the link.
    init?(_ fault: LinkFault) { self.init(rawValue: "link-\(fault.rawValue)") }

    /// The codes of the faults of the link, but for the absence of its process.
    fileprivate static var link: [FaultCode] { LinkFault.allCases.compactMap { FaultCode($0) } }
}
