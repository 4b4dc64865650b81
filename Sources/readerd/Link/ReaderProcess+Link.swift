// SPDX-License-Identifier: Apache-2.0

import Crypto
import EventStore
import Fleet
import JSON
import Logging
import Octets
import Reader
import System
import Timekeeping

/// The link to a fleet: states and events for its process. Of what comes from there only a signed order moves the door.
extension ReaderProcess {
    func startLink() {
        start(operation.link, absent: .linkAbsent, without: "link") { process, event in process.take(event) }
        operation.link?.paceReads(on: reactor) { [weak self] first in
            // A store that accepts no more is asked again when the process asks again.
            _ = self?.audit.slice(from: first, limit: FleetLimits.eventsPerBatch)
            self?.flush()
        }
        operation.link?.paceDesired(on: reactor)
        operation.link?.watchSilence(on: reactor)
        operation.link?.awaitForgeriesEnd(on: reactor) { [weak self] in
            self?.clear(.linkForged)
            self?.flush()
        }
    }

    private func take(_ event: LinkService.Event) {
        switch event {
        case .connected: greet()
        case .lost: for code in FaultCode.link { clear(code) }
        case .request(.read(let first, let octets)):
            operation.link?.read(from: first, octets: octets, at: reactor.now)
        case .request(.order(let octets, let isRetained, let number)):
            // One too many is sent again by its sender.
            if operation.link?.takeOrder() == true { take(octets, isRetained: isRetained, number) }
        case .request(.chunk(let octets, let index)): take(chunk: octets, index)
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

    /// Tells the process a part of the log. One that cannot be read is asked for again by the process.
    func takeForLink(_ slice: LogSlice?) {
        guard let link = operation.link else { return }
        guard let slice else {
            guard link.isConnected, !link.isGreeted else { return }
            reactor.schedule(at: reactor.now + LinkService.retry) { [weak self] in self?.greet() }
            return
        }
        do throws(CryptoError) { try link.tell(slice) } catch {
            log.error("link: the terminal key does not sign: \(error)")
        }
        link.noteMessage(at: reactor.now)
    }

    /// Tells the process the states of the door and the end of the log, if they are others now.
    func flushLink() {
        guard let link = operation.link, link.isGreeted else { return }
        let told = LinkService.Told(
            door: device.reader.doorStatus, last: audit.state?.last ?? 0, desired: link.orders.desired.report)
        guard told != link.told else { return }
        if told.last != link.told?.last { link.send(.newest(told.last)) }
        link.told = told
        link.send(.state(stateReport(told).text))
    }

    private func stateReport(_ told: LinkService.Told) -> JSONObject {
        [
            "lock": told.door.isUnlocked ? "UNLOCKED" : "LOCKED", "state": told.door.state.rawValue,
            "open": told.door.standsOpen, "alarm": told.door.alarm?.rawValue, "tampered": told.door.isTampered,
            "sequence": told.last, "clock": auditTime.quality.name, "faults": faults.faults.map(\.code.rawValue),
            "desired": told.desired.object,
        ]
    }

    /// The link's part of the status; nil without one.
    var linkReport: JSONObject? {
        operation.link.map { link in
            [
                "process": link.isConnected, "connected": link.status?.isConnected ?? false,
                "delivered": link.status?.delivered,
            ]
        }
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
