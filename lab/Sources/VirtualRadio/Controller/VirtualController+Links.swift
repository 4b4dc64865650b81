// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Commands and events of links (Core 5.4, Vol 4, Part E, 7.1.6, 7.1.23, 7.5.4, 7.8.18, 7.8.21, 7.8.31 to 7.8.34).
extension VirtualController {
    /// The lowest free connection handle.
    func freeHandle() -> UInt16 {
        VirtualController.handles.first { handle in !state.links.contains { $0.handle == handle } }
            ?? VirtualController.handles.upperBound
    }

    /// Reads a connection handle, and returns its open link.
    func link(_ parameters: inout CommandParameters) throws(CommandRefusal) -> LinkEnd {
        let handle = try parameters.u16()
        if let end = state.links.first(where: { $0.handle == handle }) { return end }
        guard mayNotKnow(handle) else { throw .violation(.unknownConnection, "no link \(handle)") }
        throw .blameless(.unknownConnection)
    }

    /// True if the host may use the handle without a violation: its Disconnection Complete is still queued.
    func mayNotKnow(_ handle: UInt16) -> Bool {
        guard let end = retired[handle] else { return false }
        return outbound.taken < end
    }

    /// Adds a link, and reports it to the host.
    func linkMade(_ end: LinkEnd, _ parameters: ConnectionParameters, advertiser: Int?) {
        state.links.append(end)
        retired[end.handle] = nil
        let event = connectionComplete(
            status: .success, handle: end.handle, role: end.role, peer: end.peer, own: end.privateAddress, parameters)
        if let advertiser, profile.terminatedBeforeConnectionComplete {
            advertisingEnded(advertiser, status: .success, connection: end.handle)
        }
        if let event { outbound.append(event) }
        if let advertiser, !profile.terminatedBeforeConnectionComplete {
            advertisingEnded(advertiser, status: .success, connection: end.handle)
        }
        if profile.channelSelectionAlgorithm2 {
            emit(subevent: Subevent.channelSelectionAlgorithm, handleOctets(end) + [0x01])
        }
        end.lengths.wanted = state.suggestedOctets
        if end.lengths.wanted > DataLengths.minimum { askForLength(end) }
    }

    /// Removes a link, and reports the reason to the host (7.7.5).
    func linkEnded(_ end: LinkEnd, reason: HCIStatus) {
        end.isOpen = false
        air.linkEnded(end.link, at: self, reason: reason)
        state.links.removeAll { $0 === end }
        heldPackets -= end.data.count + (end.inFlight?.completesPacket == true ? 1 : 0)
        emit(
            EventCode.disconnectionComplete, [HCIStatus.success.rawValue] + handleOctets(end) + [reason.rawValue])
        retired[end.handle] = outbound.queued
    }

    /// Disconnect (7.1.6): the terminate PDU precedes queued data, which is lost.
    func disconnect(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let end = try link(&parameters)
        let reason = try parameters.u8()
        guard [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B].contains(reason) else {
            throw .violation(.invalidParameters, "disconnection reason \(reason)")
        }
        guard !end.isTerminating else { throw .violation(.commandDisallowed, "the link is being disconnected") }
        end.isTerminating = true
        end.control.insert(.terminate(reason: reason), at: 0)
    }

    /// Read RSSI (7.5.4).
    func readRSSI(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        return handleOctets(end) + [UInt8(bitPattern: end.rssi ?? profile.rssiBeforeFirstPacket)]
    }

    /// LE Connection Update (7.8.18): the central updates the connection, a peripheral requests it.
    func updateConnection(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let end = try link(&parameters)
        let wanted = try ConnectionParameters(&parameters)
        if end.role == .central {
            end.control.append(.connectionUpdate(wanted))
        } else {
            guard profile.connectionParametersRequest else {
                throw .violation(.commandDisallowed, "a peripheral cannot update the connection of this controller")
            }
            end.control.append(.connectionParameterRequest(wanted))
        }
    }

    /// LE Remote Connection Parameter Request Reply (7.8.31).
    func acceptParameters(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        let wanted = try ConnectionParameters(&parameters)
        if end.role == .central { end.control.append(.connectionUpdate(wanted)) }
        return handleOctets(end)
    }

    /// LE Remote Connection Parameter Request Negative Reply (7.8.32).
    func rejectParameters(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        end.control.append(.rejectParameterRequest(reason: try parameters.u8()))
        return handleOctets(end)
    }

    /// LE Read Remote Features (7.8.21).
    func readRemoteFeatures(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let end = try link(&parameters)
        guard end.role == .central || features >> 3 & 1 == 1 else {
            throw .violation(.commandDisallowed, "a peripheral cannot ask with this controller")
        }
        guard !end.awaitsFeatures else { throw .violation(.commandDisallowed, "already asked") }
        end.awaitsFeatures = true
        end.control.append(.featureRequest)
    }

    /// Read Remote Version Information (7.1.23).
    func readRemoteVersion(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let end = try link(&parameters)
        guard !end.awaitsVersion else { throw .violation(.commandDisallowed, "already asked") }
        if let known = end.remoteVersion {
            if let event = remoteVersionComplete(end, known) { eventsAfterAnswer.append(event) }
            return
        }
        end.awaitsVersion = true
        guard !end.hasSentVersion else { return }
        end.hasSentVersion = true
        end.control.append(.version(profile.version))
    }

    /// Read Remote Version Information Complete (7.7.12); nil if masked.
    func remoteVersionComplete(_ end: LinkEnd, _ version: UInt8) -> [UInt8]? {
        guard state.eventMask >> UInt64(EventCode.readRemoteVersionComplete - 1) & 1 == 1 else { return nil }
        let event = [HCIStatus.success.rawValue] + handleOctets(end) + [version, 0xFF, 0xFF, 0x01, 0x00]
        return EventPacket.event(EventCode.readRemoteVersionComplete, event)
    }

    /// LE Set Data Length (7.8.33). A length that is wanted already changes nothing, so that no procedure begins (Core
    /// 5.4, Vol 6, Part B, 4.5.10).
    func setDataLength(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        let octets = try dataLength(&parameters).octets
        guard octets != end.lengths.wanted else { return handleOctets(end) }
        end.lengths.wanted = octets
        askForLength(end)
        return handleOctets(end)
    }

    /// LE Write Suggested Default Data Length (7.8.35).
    func writeSuggestedDataLength(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        (state.suggestedOctets, state.suggestedTime) = try dataLength(&parameters)
    }

    private func dataLength(
        _ parameters: inout CommandParameters
    ) throws(CommandRefusal) -> (octets: UInt16, time: UInt16) {
        let octets = try parameters.u16(in: DataLengths.minimum...DataLengths.maximum, "TX_Octets")
        return (octets, try parameters.u16(in: 0x0148...0x4290, "TX_Time"))
    }

    private func askForLength(_ end: LinkEnd) {
        end.control.append(.lengthRequest(transmit: end.lengths.wanted, receive: maximumDataLength))
    }

    /// A connection handle in event and return parameters.
    func handleOctets(_ end: LinkEnd) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(littleEndian: end.handle)
        return octets
    }
}
