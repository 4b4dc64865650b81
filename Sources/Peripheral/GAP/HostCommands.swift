// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// The order of commands, and the handling of their answers.
///
/// Commands are not queued: when the controller accepts one, the most urgent request of the initialization, the links
/// and the advertiser is sent. A request that is obsolete by then is never sent.
extension Host {
    /// Sends a command. Precondition: `commandFlow.isReady`.
    mutating func send(_ command: some HCICommand, for purpose: HCICommandFlow.Purpose, at now: Instant) {
        outbound.append { command.appendPacket(to: &$0) }
        var timeout = configuration.commandTimeout
        if purpose.isOptional { timeout = min(timeout, HostLimits.optionalCommandTimeout) }
        commandFlow.sent(
            command.opcode, for: purpose, deadline: now + timeout, creditDeadline: now + configuration.commandTimeout)
    }

    /// Sends the most urgent command, if the controller accepts one.
    mutating func sendCommands(at now: Instant) {
        isDue = false
        if advertiser.isStatusDue { reportAdvertising() }
        guard commandFlow.isReady else { return }
        switch phase {
        case .idle, .waiting: return
        case .bringUp(let start): send(start.command, for: .bringUp(start.step), at: now)
        case .running:
            if sendLinkEnd(at: now) || sendSupervisionCommand(at: now) { return }
            if let command = advertiser.next(at: now) { return send(command, for: purpose(of: command), at: now) }
            if sendLinkWish(at: now) || sendLinkReview(at: now) || sendPowerCommand(at: now) { return }
            sendRSSI(at: now)
        }
    }

    private func purpose(of command: AdvertisingCommand) -> HCICommandFlow.Purpose {
        switch command {
        case .legacyPower: .transmitPower
        case .review: .advertisingReview(isKnown: advertiser.isReviewKnown)
        default: .advertising
        }
    }

    private mutating func sendLinkEnd(at now: Instant) -> Bool {
        for slot in connections.indices where connections[slot].phase != .free {
            if sendKeyReply(slot, at: now) { return true }
            if case .wanted(let reason, let after) = connections[slot].end, now >= after {
                connections[slot].end = .sent(reason)
                let command = HostCommand.disconnect(handle: connections[slot].handle, reason: reason.disconnectReason)
                send(command, for: .disconnect(connections[slot].id), at: now)
                return true
            }
        }
        guard let index = rejected.firstIndex(where: { !$0.isSent && now >= $0.after }) else { return false }
        rejected[index].isSent = true
        let connection = rejected[index]
        let command = HostCommand.disconnect(handle: connection.handle, reason: connection.reason.disconnectReason)
        send(command, for: .rejected(handle: connection.handle), at: now)
        return true
    }

    private mutating func sendLinkWish(at now: Instant) -> Bool {
        for slot in connections.indices where connections[slot].isLive {
            if connections[slot].wantsDataLength {
                connections[slot].wantsDataLength = false
                guard !unresponsive.dataLength else { continue }
                send(HostCommand.leSetDataLength(handle: connections[slot].handle), for: .dataLength, at: now)
                return true
            }
            if connections[slot].wantsInterval, let wanted = configuration.preferredInterval {
                connections[slot].wantsInterval = false
                guard !unresponsive.interval else {
                    requestParameters(slot, at: now)
                    continue
                }
                let parameters = ConnectionParameters(
                    interval: wanted, supervisionTimeout: connections[slot].supervisionTimeout)
                send(
                    HostCommand.leConnectionUpdate(handle: connections[slot].handle, parameters),
                    for: .interval(connections[slot].id), at: now)
                return true
            }
        }
        return false
    }

    private mutating func sendRSSI(at now: Instant) {
        for step in connections.indices {
            let slot = (rssiTurn + step) % connections.count
            guard connections[slot].phase == .open, connections[slot].rssi == .waiting else { continue }
            rssiTurn = (slot + 1) % connections.count
            connections[slot].rssi = .outstanding
            let handle = connections[slot].handle
            return send(HostCommand.readRSSI(handle: handle), for: .rssi(connections[slot].id, handle: handle), at: now)
        }
    }

    // MARK: - Answers

    /// Handles Command Complete, or a Command Status that completes a command; the return parameters are in `range`.
    mutating func commandAnswered(
        _ opcode: UInt16, _ packet: Span<UInt8>, in range: Range<Int>, at now: Instant
    ) {
        // An answer for another link is late.
        if let handle = commandFlow.pending?.purpose.handleOfReading, opcode == HCIOpcode.readRSSI.rawValue,
            case .success(let returned) = CommandAnswer(packet, in: range, ReturnedRSSI.init), returned.handle != handle
        {
            return ignore()
        }
        guard let purpose = commandFlow.answered(opcode) else { return }
        let status = range.isEmpty ? HCIStatus.unspecifiedError : HCIStatus(rawValue: packet[range.lowerBound])
        switch purpose {
        case .bringUp(let step): stepAnswered(step, packet, in: range, at: now)
        case .advertising, .transmitPower, .advertisingReview:
            advertisingAnswered(advertiser.inFlight, status, packet, in: range, at: now)
        case .disconnect(let link): disconnectAnswered(link, status, at: now)
        case .rejected(let handle): rejectionAnswered(handle, status, at: now)
        case .keyReply(let handle): if status != .success { keyReplyRefused(handle, at: now) }
        case .dataLength, .eventMask, .leEventMask: break
        case .interval(let link): intervalRefused(link, status, at: now)
        case .rssi(let link, _):
            unresponsive.rssi = 0
            handleAnswered(link, status, isReview: false, at: now)
            rssiAnswered(link, CommandAnswer(packet, in: range, ReturnedRSSI.init))
        case .linkReview(let link, _, _): handleAnswered(link, status, isReview: true, at: now)
        case .settingReview: settingAnswered(CommandAnswer(packet, in: range, SuggestedDataLength.init), at: now)
        case .powerEvents: if status == .success { powerEvents = .unmasked } else { powerUnusable() }
        case .powerReports(let link), .remotePower(let link): powerAnswered(link, status)
        }
    }

    /// Handles the time-out of a command.
    mutating func unanswered(_ command: HCICommandFlow.Pending, at now: Instant) {
        let fault = ControllerFault.commandTimeout(opcode: command.opcode.rawValue)
        switch command.purpose {
        case .bringUp(let step):
            guard !BringUp.isNecessary(step), case .bringUp(let start) = phase else { return fail(fault, at: now) }
            continueBringUp(start, at: now)
        case .advertising, .advertisingReview(isKnown: true), .settingReview(isKnown: true), .disconnect, .rejected,
            .eventMask, .leEventMask:
            fail(fault, at: now)
        // The central gives up or repeats the request.
        case .keyReply(let handle): keyReplyRefused(handle, at: now)
        case .transmitPower, .advertisingReview(isKnown: false):
            reviewed(
                advertiser.answered(AdvertisingAnswer(.unspecifiedError), at: now, hasLinks: hasLinks), at: now)
        case .settingReview(isKnown: false): settingAnswered(.refused(.unspecifiedError), at: now)
        case .linkReview(let link, _, _): handleAnswered(link, .unspecifiedError, isReview: true, at: now)
        case .dataLength: unresponsive.dataLength = true
        case .interval(let link):
            unresponsive.interval = true
            intervalRefused(link, .unknownCommand, at: now)
        case .rssi(let link, _):
            unresponsive.rssi += 1
            rssiAnswered(link, .refused(.unspecifiedError))
        case .powerEvents, .powerReports, .remotePower: powerUnusable()
        }
    }

    private mutating func rejectionAnswered(_ handle: UInt16, _ status: HCIStatus, at now: Instant) {
        guard let index = rejected.firstIndex(where: { $0.handle == handle && $0.isSent }) else { return }
        if status == .success, rejected[index].isUnreported, supervision.believes(.handle, at: now) {
            let digits = handle.padded(to: 4, radix: 16, uppercase: true)
            return lost(.handle, "it has a link, handle 0x\(digits), that it did not report", at: now)
        }
        // The last packets of the connection are no sign of another one.
        if status == .success { supervision.ended(handle, at: now) }
        if status == .success || status == .unknownConnection
            || rejected[index].refusals >= RejectedConnection.maximumRefusals
        {
            // If the connection has ended already, no event reports it.
            rejected.remove(at: index)
            advertiser.linkDown()
        } else {
            rejected[index].isSent = false
            rejected[index].refusals += 1
            rejected[index].after = now + HostLimits.disconnectRetry
        }
    }

    private mutating func rssiAnswered(_ id: LinkID, _ answer: CommandAnswer<ReturnedRSSI>) {
        guard let slot = announcedSlot(of: id), connections[slot].phase == .open else { return }
        connections[slot].rssi = .none
        emit(.rssi(id, RSSIReading(answer)))
    }
}

extension RSSIReading {
    /// The answer to Read RSSI (Core 5.4, Vol 4, Part E, 7.5.4). 127 is "not available"; 0 and above come from
    /// controllers that have heard nothing yet, and −127 is below what any receiver measures.
    init(_ answer: CommandAnswer<ReturnedRSSI>) {
        switch answer {
        case .success(let reading): self = (-126 ... -1).contains(reading.value) ? .value(reading.value) : .none
        case .refused(let status): self = .failed(status)
        }
    }
}

extension ConnectionParameters {
    /// A wish for an interval, with the link's supervision time-out where it may be (Core 5.4, Vol 4, Part E, 7.8.18).
    init(interval: ClosedRange<Duration>, supervisionTimeout: Duration) {
        func units(_ duration: Duration, of nanoseconds: Int64, in range: ClosedRange<Int64>) -> UInt16 {
            let units = duration.wholeNanoseconds / nanoseconds
            return UInt16(clamping: min(max(units, range.lowerBound), range.upperBound))
        }
        self.init(
            minimumInterval: units(interval.lowerBound, of: 1_250_000, in: 6...3200),
            maximumInterval: units(interval.upperBound, of: 1_250_000, in: 6...3200), latency: 0,
            supervisionTimeout: units(supervisionTimeout, of: 10_000_000, in: 10...3200))
    }
}
