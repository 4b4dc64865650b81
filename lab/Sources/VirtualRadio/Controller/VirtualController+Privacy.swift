// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Link Layer privacy (Core 5.4, Vol 4, Part E, 7.8.38 to 7.8.45, 7.8.77).
extension VirtualController {
    /// The commands of the resolving list.
    func changeResolvingList(
        _ command: Command, _ parameters: inout CommandParameters
    ) throws(CommandRefusal) -> [UInt8] {
        switch command {
        case .setResolvablePrivateAddressTimeout:
            state.resolving.timeout = .seconds(try parameters.u16(in: 0x0001...0x0E10, "RPA_Timeout"))
        case .readPeerResolvableAddress:
            return privateAddress(state.resolving.lastReceived(at: try resolvingEntry(&parameters)))
        case .readLocalResolvableAddress:
            return privateAddress(state.resolving.lastLocal(at: try resolvingEntry(&parameters)))
        case .setAddressResolutionEnable:
            let enable = try parameters.u8(in: 0...1, "Address_Resolution_Enable") == 1
            try requireIdleRadio()
            state.resolving.resolves = enable
        default: try changeEntries(command, &parameters)
        }
        return []
    }

    private func changeEntries(_ command: Command, _ parameters: inout CommandParameters) throws(CommandRefusal) {
        if state.resolving.resolves { try requireIdleRadio() }
        switch command {
        case .addToResolvingList: try addResolvingEntry(&parameters)
        case .removeFromResolvingList: state.resolving.remove(at: try resolvingEntry(&parameters))
        case .setPrivacyMode:
            let index = try resolvingEntry(&parameters)
            let mode = try parameters.u8(in: 0...1, "Privacy_Mode")
            state.resolving.setMode(mode == 0 ? .network : .device, at: index)
        default: state.resolving.removeAll()
        }
    }

    /// LE Add Device To Resolving List (7.8.38).
    private func addResolvingEntry(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let identity = try identityAddress(&parameters)
        let peerKey = try key(&parameters), localKey = try key(&parameters)
        let entry = ResolvingEntry(identity: identity, peerKey: peerKey, localKey: localKey)
        guard state.resolving.count < profile.resolvingListSize else {
            throw .blameless(ControllerStatus.memoryCapacityExceeded)
        }
        guard state.resolving.add(entry) else {
            throw .violation(.invalidParameters, "the resolving list has this identity, or this key")
        }
    }

    /// The position of the entry that the parameters name.
    private func resolvingEntry(_ parameters: inout CommandParameters) throws(CommandRefusal) -> Int {
        guard let index = state.resolving.index(of: try identityAddress(&parameters)) else {
            throw .blameless(.unknownConnection)
        }
        return index
    }

    private func identityAddress(_ parameters: inout CommandParameters) throws(CommandRefusal) -> BluetoothAddress {
        let kind = try parameters.u8(in: 0...1, "Peer_Identity_Address_Type")
        return BluetoothAddress(kind: BluetoothAddress.Kind(rawValue: kind), value: try parameters.u48())
    }

    private func key(_ parameters: inout CommandParameters) throws(CommandRefusal) -> Value128 {
        let octets = try parameters.consume(ResolvingEntry.keyCount)
        return Value128(leastSignificantFirst: octets.span) ?? .zero
    }

    /// A private address in return parameters, and zeros before there is one.
    private func privateAddress(_ address: BluetoothAddress?) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(address: address?.value ?? 0)
        return octets
    }

    /// Refuses a change of what advertising, scanning and initiating use.
    private func requireIdleRadio() throws(CommandRefusal) {
        guard state.scanner == nil, state.initiator == nil, state.advertisers.allSatisfy({ $0.run == nil }) else {
            throw .violation(.commandDisallowed, "advertising, scanning or initiating runs")
        }
    }

    /// The device with this address, as this controller knows it; nil if privacy ignores it.
    func peer(at address: BluetoothAddress) -> AirPeer? { state.resolving.peer(at: address) }

    /// An own address, if the resolving list has generated it; otherwise nil.
    func generated(_ address: BluetoothAddress) -> BluetoothAddress? {
        state.resolving.hasGenerated(address) ? address : nil
    }

    /// True if directed advertising to `target` is for this controller, whose own address is `own`.
    func isTargeted(by target: BluetoothAddress, own: BluetoothAddress) -> Bool {
        target == own || state.resolving.isLocal(target)
    }

    /// The address of an Own_Address_Type: towards `peer` a private one of the resolving list, if the type asks for it
    /// and the list has it; nil for a random address that is not set.
    func ownAddress(type: UInt8, random address: UInt64?, toward peer: BluetoothAddress?) -> BluetoothAddress? {
        if type >= 2, let peer, let own = state.resolving.localAddress(toward: peer, at: air.now, &random) {
            return own
        }
        guard type & 1 == 1 else { return self.address }
        return address.map { BluetoothAddress(kind: .random, value: $0) }
    }

    /// Replaces the private addresses of an advertiser that has them, when they are due.
    func renewAddresses(ofAdvertiser index: Int) {
        let advertiser = state.advertisers[index]
        guard advertiser.ownAddressType >= 2, advertiser.run != nil else { return }
        if let address = try? advertisingAddress(index) { state.advertisers[index].run?.address = address }
        guard advertiser.kind == .directed else { return }
        let target = state.resolving.targetAddress(of: advertiser.target, at: air.now, &random)
        state.advertisers[index].run?.target = target
    }
}
