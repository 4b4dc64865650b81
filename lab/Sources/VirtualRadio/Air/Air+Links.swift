// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// Connection events: packets, acknowledgements, termination (Core 5.4, Vol 6, Part B, 4.5).
extension Air {
    /// Schedules the next connection event, or the time-out of an end, whichever is first.
    func scheduleLink(_ link: AirLink) {
        var time = link.nextEvent
        for end in [link.central, link.peripheral] {
            if let end, end.isOpen { time = min(time, end.givesUp(link.parameters)) }
        }
        schedule.add(.link(link.number), at: time)
    }

    /// Performs the actions due for a link.
    func linkEvent(_ number: UInt64) {
        guard let link = links[number] else { return }
        for end in [link.central, link.peripheral] {
            guard let end, end.isOpen, end.givesUp(link.parameters) <= now else { continue }
            end.controller.linkEnded(
                end, reason: end.isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished)
        }
        if link.nextEvent <= now { connectionEvent(link) }
        if link.central.isOpen || link.peripheral?.isOpen == true {
            scheduleLink(link)
        } else {
            links[number] = nil
        }
    }

    private func connectionEvent(_ link: AirLink) {
        if let peripheral = link.peripheral {
            if link.central.isOpen && peripheral.isOpen {
                exchange(link, link.central, peripheral)
            } else {
                farewell(from: link.central, to: peripheral, over: link)
                farewell(from: peripheral, to: link.central, over: link)
            }
            peripheral.controller.reportCompleted(peripheral)
        }
        link.central.controller.reportCompleted(link.central)
        link.events += 1
        link.nextEvent = link.nextEvent + link.parameters.interval
        applyUpdate(link)
    }

    /// Terminates the peer's end once after the reset of a controller.
    private func farewell(from gone: LinkEnd, to peer: LinkEnd, over link: AirLink) {
        guard gone.saysFarewell, peer.isOpen else { return }
        gone.saysFarewell = false
        let level = reception(from: gone.controller, to: peer.controller, on: .data(link.channel))
        let reason = HCIStatus.remotePowerOff
        capture(.control(.terminate(reason: reason.rawValue)), from: gone, to: peer, over: link, level: level)
        guard level != nil else { return }
        peer.controller.linkEnded(peer, reason: reason)
    }

    /// Exchanges packets in turn, the central first, until none is left, one is lost, or the event is full.
    private func exchange(_ link: AirLink, _ central: LinkEnd, _ peripheral: LinkEnd) {
        let most = max(
            1, min(central.controller.profile.packetsPerEvent, peripheral.controller.profile.packetsPerEvent))
        for _ in 0..<most {
            let answered =
                transmit(from: central, to: peripheral, over: link)
                && transmit(from: peripheral, to: central, over: link)
            if answered, central.terminationReceived != nil {
                _ = transmit(from: central, to: peripheral, over: link)
            }
            if closeEnds(central, peripheral) { return }
            guard answered, central.hasMore || peripheral.hasMore else { return }
        }
    }

    /// Closes the ends whose termination is complete: acknowledged by the peer, or received and acknowledged. True if
    /// one is closed.
    private func closeEnds(_ ends: LinkEnd...) -> Bool {
        for end in ends where end.isOpen {
            if end.terminationAcknowledged {
                end.controller.linkEnded(end, reason: .localHostTerminated)
            } else if let reason = end.terminationReceived {
                end.controller.linkEnded(end, reason: HCIStatus(rawValue: reason))
            }
        }
        return ends.contains { !$0.isOpen }
    }

    /// Sends the next PDU or an empty packet, with the acknowledgement. False if the packet is lost: the event ends
    /// then, and the packet is sent again in the next.
    private func transmit(from sender: LinkEnd, to receiver: LinkEnd, over link: AirLink) -> Bool {
        load(sender)
        let level = reception(from: sender.controller, to: receiver.controller, on: .data(link.channel))
        capture(sender.inFlight?.pdu, from: sender, to: receiver, over: link, level: level)
        guard let level else { return false }
        receiver.isEstablished = true
        receiver.lastHeard = now
        receiver.rssi = level
        acknowledge(receiver)
        guard let inFlight = sender.inFlight, !inFlight.isDelivered else { return true }
        sender.inFlight?.isDelivered = true
        switch inFlight.pdu {
        case .data(let octets, let isStart):
            receiver.controller.deliver(octets, isStart: isStart, from: receiver)
        case .control(let pdu): receive(pdu, at: receiver, over: link)
        }
        return true
    }

    /// Selects the next PDU of an end, unless one is unacknowledged.
    private func load(_ end: LinkEnd) {
        guard end.inFlight == nil else { return }
        if !end.control.isEmpty {
            end.inFlight = InFlight(pdu: .control(end.control.removeFirst()))
            return
        }
        // Nothing follows a terminate PDU.
        guard !end.isTerminating, var packet = end.data.first else { return }
        let count = min(packet.octets.count - packet.sent, Int(end.lengths.transmit))
        let isStart = packet.isStart && packet.sent == 0
        let octets = Array(packet.octets[packet.sent..<packet.sent + count])
        packet.sent += count
        let isLast = packet.sent == packet.octets.count
        if isLast { end.data.removeFirst() } else { end.data[0] = packet }
        end.inFlight = InFlight(pdu: .data(octets, isStart: isStart), completesPacket: isLast)
    }

    /// Handles the acknowledgement of the last PDU.
    private func acknowledge(_ end: LinkEnd) {
        guard let inFlight = end.inFlight, inFlight.isDelivered else { return }
        end.inFlight = nil
        if inFlight.completesPacket {
            end.completed += 1
            end.controller.heldPackets -= 1
        }
        if case .control(.terminate) = inFlight.pdu { end.terminationAcknowledged = true }
    }

    /// Applies new interval, latency and time-out at their instant on both sides (Core 5.4, Vol 6, Part B, 5.1.1),
    /// and reports them to both hosts.
    private func applyUpdate(_ link: AirLink) {
        guard let update = link.update, link.events >= update.at else { return }
        link.update = nil
        link.parameters = update.parameters
        for end in [link.central, link.peripheral] {
            if let end, end.isOpen { end.controller.connectionUpdated(end, .success, update.parameters) }
        }
    }
}
