// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import Fleet
import Logging
import Reader
import Remote
import System
import Timekeeping

/// Orders of a back end: verified and kept, then carried out as an operator's are, and answered.
extension ReaderLink {
    /// Receives an order as it came, with the number of its message.
    func receive(order octets: [UInt8], isRetained: Bool, _ number: UInt64) {
        readClock()
        // Not answered: it can be sent again while it is valid.
        if link.isLate, RemoteCommand(ofOrder: octets)?.order.mayRelease == true {
            return link.logOrder(.warning, "an order is dropped: \(ControlAnswer.Refusal.late.text)")
        }
        let step = link.orders.receive(
            octets, isRetained: isRetained, number: number, permitted: settings.link.may,
            settable: settings.link.maySet, zone: process.device.reader.configuration.zone, at: moment)
        switch step {
        case .answer(let answer):
            if answer.reason == .signature { noteForgery(link) }
            send(answer, to: [number])
        case .keep(let ticket, let name, let octets):
            link.lateAt[ticket] = reactor.now + link.lateness
            if !audit.keep(name, octets, order: ticket) { keptOrder(ticket, false) }
        case .waits: break
        }
        link.followDesired(afterOrder: true, at: reactor.now)
    }

    /// Reads the system clock before the time of an order is judged: the monotonic clock, by which the reader's clock
    /// runs, stands while the system is suspended.
    private func readClock() { process.report(process.wall.observe(inAnyCase: true)) }

    /// Accepts the orders of a policy that was begun without a certain time, once the clock is certain.
    func beginOrders() {
        guard link.orders.needsBeginning || process.faults.has(.linkClock) else { return }
        if let now = process.wall.certainSeconds, let beginning = link.orders.begin(at: now) {
            audit.keep(beginning.name, beginning.octets)
            log.notice("link: orders and states that were signed before now are refused: the policy was begun before")
        }
        process.faults.set(
            .linkClock, link.orders.needsBeginning, at: moment,
            "link: every order and state from afar is refused, since the policy was begun without a certain time: "
                + "synchronise the clock, or run: readerd set-time")
    }

    /// The order of this ticket is on the disk, and is carried out now; or it could not be kept, and is refused.
    func keptOrder(_ ticket: UInt64, _ isKept: Bool) {
        readClock()
        let lateAt = link.lateAt.removeValue(forKey: ticket) ?? .origin
        switch link.orders.kept(ticket, isKept, at: moment) {
        case .act(let act) where act.command.order.mayRelease && lateAt <= reactor.now: endOrder(ticket, .expired)
        case .act(let act):
            let person = DoorOperator(.remote, act.actor, .remote(ticket), until: act.until)
            switch process.execute(act.command.order, for: person) {
            case .done, .unchanged: endOrder(ticket, nil)
            case .refused(let refusal): endOrder(ticket, RemoteAnswer.Reason(refusal))
            case .waits: break
            }
        case .answer(let reply): end(reply)
        case nil: break
        }
    }

    /// Ends an order that was carried out, or refused for this reason.
    func endOrder(_ ticket: UInt64, _ refusal: RemoteAnswer.Reason?) {
        if let reply = link.orders.acted(ticket, refusal) { end(reply) }
    }

    /// Answers an order that was taken. A lost answer moves nothing: the order is then `repeated`.
    private func end(_ reply: RemoteOrders.Reply) {
        if let octets = link.orders.octets { audit.keepOnce(RemoteOrders.setting, octets) }
        send(reply.answer, to: reply.numbers)
    }

    private func noteForgery(_ link: LinkService) {
        link.noteForgery(at: reactor.now)
        raise(
            .linkForged,
            "link: an order that names the command key is not signed by it, and is refused: look who may publish at "
                + "the broker; if the key may be compromised, replace it: readerd provision --command-key")
    }

    private func send(_ answer: RemoteAnswer, to numbers: [UInt64]) {
        for number in numbers {
            do throws(CryptoError) { try link.report(answer, number: number) } catch {
                log.error("link: the terminal key does not sign: \(error)")
            }
        }
    }
}

extension RemoteCommand {
    /// The command of an order as it came; nil for none.
    fileprivate init?(ofOrder octets: [UInt8]) {
        guard let signed = try? RemoteOrder.Signed(octets) else { return nil }
        self.init(rawValue: signed.order.command)
    }

    /// The order about the door.
    fileprivate var order: DoorOrder {
        switch self {
        case .pulse: .pulse
        case .extended: .extended
        case .officeOn: .officeOn
        case .officeOff: .officeOff
        case .lockdownOn: .lockdownOn
        case .lockdownOff: .lockdownOff
        case .tamperReset: .tamperReset
        }
    }
}

extension RemoteAnswer.Reason {
    /// The reason for a refused order about the door.
    init(_ refusal: DoorRefusal) {
        switch refusal {
        case .busy: self = .busy
        case .forbidden: self = .forbidden
        case .inactive: self = .inactive
        case .lockdown: self = .lockdown
        case .tampered: self = .tampered
        case .lockedOut: self = .lockedOut
        case .nothingToReset: self = .nothingToReset
        case .logFull: self = .logFull
        case .expired: self = .expired
        // A back end has no other name for a record without room, and a late order is not answered.
        case .notRecorded, .tooOften, .late: self = .notRecorded
        }
    }
}
