// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// A value of a procedure that is still to be sent to the client that asked for it.
struct ProcedureValue {
    var link: LinkID
    var handle: AttributeHandle
    var octets: [UInt8]
    var due: Instant
}

/// The profile's part in writes, and the values of its procedures.
extension DeviceBehaviour {
    /// The error with which the profile refuses a write request; nil accepts it.
    mutating func refusal(
        _ handle: AttributeHandle, _ octets: [UInt8], _ link: LinkID, _ notices: inout DeviceNotices
    ) -> ATTErrorCode? {
        let (type, client) = (type(handle), client(link))
        guard let refusal = logic?.refusal(octets, to: type, client) else { return nil }
        report(refusal.mistake, link, handle, &notices)
        return refusal.error
    }

    /// Performs an accepted write.
    mutating func perform(
        _ handle: AttributeHandle, _ octets: [UInt8], _ link: LinkID, _ notices: inout DeviceNotices, at now: Instant
    ) {
        let (type, client) = (type(handle), client(link))
        guard let reply = logic?.perform(octets, to: type, client) else { return }
        report(reply.mistake, link, handle, &notices)
        if let (type, every) = reply.period { setPeriod(type, every, at: now) }
        if reply.aborts { procedures.removeAll { $0.link == link } }
        var due = procedures.last { $0.link == link }?.due ?? now
        for value in reply.values {
            due = due + value.after
            guard let target = self.handle(of: value.type) else { continue }
            procedures.append(ProcedureValue(link: link, handle: target, octets: value.octets, due: due))
        }
        sendProcedures(&notices, at: now)
    }

    /// Sends the values of procedures that are due.
    mutating func sendProcedures(_ notices: inout DeviceNotices, at now: Instant) {
        let due = procedures.filter { $0.due <= now }
        guard !due.isEmpty else { return }
        procedures.removeAll { $0.due <= now }
        for value in due { send(value.handle, value.octets, toWriter: value.link, &notices, at: now) }
    }

    private func client(_ link: LinkID) -> ProfileClient {
        let subscribed = subscribers.filter { $0.value.contains { $0.link == link } }.keys.map { type($0) }
        return ProfileClient(
            link: link, subscribed: Set(subscribed), isBusy: procedures.contains { $0.link == link })
    }

    private func report(
        _ mistake: ProfileMistake?, _ link: LinkID, _ handle: AttributeHandle, _ notices: inout DeviceNotices
    ) {
        guard let mistake else { return }
        notices.report(.mistaken(link, handle, rule: mistake.rule, sentence: mistake.sentence))
    }
}
