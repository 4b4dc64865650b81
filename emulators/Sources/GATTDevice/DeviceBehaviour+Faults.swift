// SPDX-License-Identifier: Apache-2.0

import Emulation
import Peripheral
import Timekeeping

/// Answers and values of a device with their faults.
extension DeviceBehaviour {
    /// Queues the answer to a request with its faults: with an error, later, or the end of the link.
    func meet(
        _ access: DeviceStep.Access, _ handle: AttributeHandle, _ link: LinkID, _ notices: inout DeviceNotices,
        at now: Instant, _ late: (ATTErrorCode?) -> DeviceFaults.Late
    ) {
        let faulted = FaultedRequest(faults.faults(access, type(handle), link, device, &notices))
        if faulted.disconnectsBefore { return faults.add(.disconnect, delay: faulted.delay, link, at: now) }
        faults.add(late(faulted.error.map { ATTErrorCode(rawValue: $0) }), delay: faulted.delay, link, at: now)
        if faulted.disconnectsAfter { faults.endSoon(link, at: now) }
    }

    /// Performs an action that a fault may have delayed.
    mutating func perform(
        _ late: DeviceFaults.Late, _ link: LinkID, _ host: inout Host, _ notices: inout DeviceNotices, at now: Instant
    ) {
        switch late {
        case .read(let request, let handle, let error?), .write(let request?, let handle, _, let error?):
            _ = host.refuse(request, error, at: now)
            let isRead = if case .read = late { true } else { false }
            let request = RefusedRequest(
                opcode: isRead ? .readRequest : .writeRequest, handle: handle, error: error)
            notices.report(.failed(link, request, type(handle)))
        case .read(let request, let handle, nil):
            let octets = presentValue(handle, link)
            _ = host.respond(to: request, value: octets.span, at: now)
        case .write(let request, let handle, let octets, _):
            if let request { _ = host.accept(request, at: now) }
            written(link, handle, octets, &host, &notices, at: now)
        case .value(let handle, let octets, let isIndicated):
            deliver(handle, octets, isIndicated, link, &host, &notices, at: now)
        case .disconnect: host.disconnect(link, reason: .remoteUserTerminated, at: now)
        }
    }

    /// Queues a value with its faults.
    func send(
        _ handle: AttributeHandle, _ octets: [UInt8], to subscriber: Subscriber, _ notices: inout DeviceNotices,
        at now: Instant
    ) {
        guard faults.values != .none else { return }
        let link = subscriber.link
        let faulted = FaultedValue(octets, faults.faults(.value, type(handle), link, device, &notices))
        if faulted.disconnectsBefore { return faults.add(.disconnect, delay: faulted.delay, link, at: now) }
        if faulted.octets.isEmpty { notices.report(.dropped(link, value(handle, octets))) }
        for octets in faulted.octets {
            // The second of a duplicated value follows the first.
            faults.add(
                .value(handle, octets, isIndicated: subscriber.isIndicated), delay: faulted.delay, link, at: now)
        }
        if faulted.disconnectsAfter { faults.endSoon(link, at: now) }
    }

    /// Sends a value; of a longer one, the first ATT_MTU − 3 octets (Core 5.4, Vol 3, Part G, 4.10.1 and 4.11.1).
    private func deliver(
        _ handle: AttributeHandle, _ octets: [UInt8], _ isIndicated: Bool, _ link: LinkID, _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        let agreed = host.attMTU(link)
        let room = max(0, min(agreed, faults.mtu ?? agreed) - 3)
        let sent = Array(octets.prefix(room))
        let outcome =
            isIndicated
            ? host.indicate(link, handle, sent.span, at: now) : host.notify(link, handle, sent.span, at: now)
        guard outcome == .accepted else { return notices.report(.leftOut(link, handle, type(handle), outcome)) }
        notices.report(isIndicated ? .indicated(link, value(handle, sent)) : .notified(link, value(handle, sent)))
        // The client is the cause if it has agreed on less than the device offers.
        if sent.count < octets.count, room == agreed - 3, agreed < mtu {
            notices.report(.cut(link, value(handle, octets), room: room))
        }
    }
}
