// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Timekeeping

/// Initiating (Core 5.4, Vol 4, Part E, 7.8.12, 7.8.13, 7.8.66).
extension VirtualController {
    /// LE Create Connection (7.8.12).
    func createConnection(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let listening = try listening(&parameters, 0x0004...0x4000)
        let usesList = try parameters.u8(in: 0...1, "Initiator_Filter_Policy") == 1
        let target = try parameters.address()
        let ownType = try parameters.u8(in: 0...3, "Own_Address_Type")
        let connection = try ConnectionParameters(&parameters)
        try initiate(usesList ? nil : target, ownType, listening, connection)
    }

    /// LE Extended Create Connection (7.8.66): the PHYs must include 1M; parameters for the 2M PHY, which is not for
    /// scanning, are only validated.
    func extendedCreateConnection(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let usesList = try parameters.u8(in: 0...1, "Initiator_Filter_Policy") == 1
        let ownType = try parameters.u8(in: 0...3, "Own_Address_Type")
        let target = try parameters.address()
        let phys = try parameters.u8()
        guard phys & 0x05 != 0 else { throw .violation(.invalidParameters, "no PHY to scan on") }
        guard phys == 0x01 || phys == 0x03 else { throw .blameless(.unsupportedFeature) }
        let listening = try listening(&parameters, 0x0004...0xFFFF)
        let connection = try ConnectionParameters(&parameters)
        if phys == 0x03 {
            _ = try self.listening(&parameters, 0x0004...0xFFFF)
            _ = try ConnectionParameters(&parameters)
        }
        try parameters.finish()
        try initiate(usesList ? nil : target, ownType, listening, connection)
    }

    private func initiate(
        _ target: BluetoothAddress?, _ ownType: UInt8, _ listening: Listening, _ connection: ConnectionParameters
    ) throws(CommandRefusal) {
        guard state.initiator == nil else { throw .violation(.commandDisallowed, "already initiating") }
        guard ownAddress(type: ownType, random: state.randomAddress, toward: target) != nil else {
            throw .violation(.invalidParameters, "initiating with a random address, and none was set")
        }
        guard state.links.count < profile.maximumLinks else { throw .blameless(.connectionLimitExceeded) }
        if let target, state.links.contains(where: { $0.peer.address == target }) {
            throw .blameless(ControllerStatus.connectionAlreadyExists)
        }
        state.initiator = Initiator(
            target: target, ownAddressType: ownType, listening: listening, parameters: connection)
    }

    /// LE Create Connection Cancel (7.8.13). The subsequent Connection Complete has status 0x02.
    func cancelConnection() throws(CommandRefusal) {
        // No violation: the connection may have been established while the command was in transit.
        guard let initiator = state.initiator else { throw .blameless(.commandDisallowed) }
        state.initiator = nil
        let event = connectionComplete(
            status: .unknownConnection, handle: 0, role: .central,
            peer: AirPeer(initiator.target ?? BluetoothAddress(kind: .public, value: 0)), own: nil, nil)
        if let event { eventsAfterAnswer.append(event) }
    }

    /// The advertiser with this address, if the initiator would answer it now.
    func initiates(to address: BluetoothAddress, at now: Instant) -> AirPeer? {
        guard let initiator = state.initiator, state.links.count < profile.maximumLinks,
            initiator.listening.hears(at: now), let peer = peer(at: address),
            !state.links.contains(where: { $0.peer.address == peer.address })
        else { return nil }
        guard let target = initiator.target else { return state.acceptList.contains(peer.address) ? peer : nil }
        return target == peer.address || target == address ? peer : nil
    }

    /// Connection Complete (7.7.65.1), or Enhanced Connection Complete (7.7.65.10) if unmasked. `own` is the local
    /// private address, if the resolving list has generated it.
    func connectionComplete(
        status: HCIStatus, handle: UInt16, role: LinkEnd.Role, peer: AirPeer, own: BluetoothAddress?,
        _ parameters: ConnectionParameters?
    ) -> [UInt8]? {
        let isEnhanced = wants(Subevent.enhancedConnectionComplete)
        guard isEnhanced || wants(Subevent.connectionComplete) else { return nil }
        var event = [isEnhanced ? Subevent.enhancedConnectionComplete : Subevent.connectionComplete, status.rawValue]
        event.append(littleEndian: handle)
        event.append(role.rawValue)
        event.append(isEnhanced ? peer.reported : peer.address)
        if isEnhanced {
            event.append(address: own?.value ?? 0)
            event.append(address: peer.privateAddress?.value ?? 0)
        }
        event.append(littleEndian: parameters?.maximumInterval ?? 0)
        event.append(littleEndian: parameters?.latency ?? 0)
        event.append(littleEndian: parameters?.timeout ?? 0)
        // Central_Clock_Accuracy: 50 ppm; reserved at the central.
        event.append(role == .peripheral ? 0x05 : 0x00)
        return EventPacket.event(EventCode.leMeta, event)
    }
}
