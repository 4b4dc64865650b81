// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import TestSupport
import Timekeeping

/// A whole host that pairs, with a central on each of four handles that pairs as it should, in one place or not, a
/// controller that asks for keys and tells of encryption, and anything else between. A key goes to the controller only
/// for a central that has proved to have it. At the end a sound central pairs. The first octet chooses the controller.
func fuzzPairing(_ input: inout FuzzInput) {
    var rig = PairingHost(extended: input.octet() & 1 == 0)
    while let choice = input.next() {
        let handle = choice & 3 | 0x40
        switch choice {
        case 0..<0x08: rig.connect(handle, set: choice >> 2 & 1)
        case 0x08..<0x10: rig.send(ControllerPacket.disconnected(handle))
        case 0x10..<0x18: rig.pass(.milliseconds(1 << Int(input.octet() & 15)))
        case 0x18..<0x20: rig.send(ControllerPacket.completed(handle, input.octet()))
        case 0x20..<0x30: rig.pursue(handle, &input)
        case 0x30..<0x40: rig.proceed(handle, changing: Int(input.octet()), by: input.octet(), &input)
        case 0x40..<0x50: rig.requestKey(handle, random: 0)
        case 0x50..<0x54: rig.requestKey(handle, random: input.octet())
        case 0x58..<0x60: rig.send(ControllerPacket.encryption(handle))
        case 0x60..<0x68: rig.send(ControllerPacket.encryption(handle, status: input.octet(), enabled: input.octet()))
        case 0x68..<0x70: rig.send([0x04, 0x30, 3, input.octet() & 1, handle, 0])
        case 0x70..<0x78: rig.device(choice, &input)
        case 0x78: rig.restart()
        case 0x80..<0xA0: rig.deliver(input.block(), handle)
        case 0xA0..<0xB0: rig.send(ControllerPacket.data(handle, input.block()))
        case 0xB0..<0xC0: rig.send(ControllerPacket.data(handle, input.block(), channel: input.octet()))
        default: rig.send(input.block())
        }
    }
    rig.recover()
}

/// A host, and somebody who watches its pairings with the centrals' key.
private struct PairingHost: ~Copyable {
    private var rig: HostRig
    private let store = FuzzBondStore()
    private var pairings: [UInt8: ObservedPairing] = [:]
    private var requests: [UInt8: PairingFeatures] = [:]
    private var responders: [UInt8: BluetoothAddress] = [:]
    private var nonce: UInt8 = 0

    init(extended: Bool) {
        rig = HostRig(extended: extended, store: store)
        rig.start()
    }

    /// The address that `ControllerPacket.connected` has.
    private static func address(_ handle: UInt8) -> BluetoothAddress {
        BluetoothAddress(kind: .random, value: 0xC605_0403_0200 | UInt64(handle))
    }

    private static func own(_ set: UInt8) -> BluetoothAddress { .randomStatic(from: UInt64(set)) }

    mutating func connect(_ handle: UInt8, set: UInt8) {
        pairings[handle] = nil
        responders[handle] = PairingHost.own(set)
        send(ControllerPacket.connected(handle))
        send(ControllerPacket.terminated(handle, set: set))
    }

    mutating func send(_ packet: [UInt8]) {
        rig.send(packet)
        look()
    }

    mutating func pass(_ duration: Duration) {
        rig.pass(duration)
        look()
    }

    mutating func restart() {
        rig.transportLost()
        rig.start()
        pairings = [:]
        look()
    }

    mutating func device(_ choice: UInt8, _ input: inout FuzzInput) {
        guard let link = rig.links.first(where: { $0.slot == Int(choice & 3) }) else { return }
        switch input.octet() & 3 {
        case 0: _ = rig.host.requestEncryption(link, at: rig.now)
        case 1: rig.host.openPairingWindow(until: rig.now + .seconds(10))
        case 2: rig.host.closePairingWindow()
        default:
            if let bond = store.bonds.first { rig.host.forget(bond.identity, at: rig.now) }
        }
        rig.settle()
        look()
    }

    /// A PDU of a central.
    mutating func deliver(_ octets: [UInt8], _ handle: UInt8) {
        if let pdu = try? SecurityPDU.parse(octets.span) {
            if case .pairingRequest(let features) = pdu, pairings[handle] == nil {
                requests[handle] = features
            } else {
                pairings[handle]?.delivered(pdu)
            }
        }
        send(ControllerPacket.data(handle, octets, channel: 6))
    }

    mutating func pursue(_ handle: UInt8, _ input: inout FuzzInput) {
        for _ in 0..<6 where proceed(handle, changing: 0, by: 0, &input) {}
    }

    /// Sends the next PDU of a sound central, in one place changed or not; false if it waits.
    @discardableResult
    mutating func proceed(_ handle: UInt8, changing place: Int, by change: UInt8, _ input: inout FuzzInput) -> Bool {
        let identity = CentralKeys.Identity(
            address: PairingHost.address(handle), resolvingKey: Value128(InlineArray(repeating: handle)))
        let fresh = nonce
        let next =
            pairings[handle].map { $0.next(nonce: Value128(InlineArray { UInt8($0) ^ fresh }), identity: identity) }
            ?? .pairingRequest(PairingHost.features(input.octet()))
        guard let next else { return false }
        if case .random = next { nonce = nonce &+ 1 }
        var octets: [UInt8] = []
        next.append(to: &octets)
        octets[place % octets.count] ^= change
        deliver(octets, handle)
        return true
    }

    private static func features(_ choice: UInt8) -> PairingFeatures {
        PairingFeatures(
            ioCapability: .noInputNoOutput,
            requirements: AuthenticationRequirements(rawValue: 0x09 ^ choice & 0x0F), initiatorKeys: [.identity],
            responderKeys: [.identity])
    }

    mutating func requestKey(_ handle: UInt8, random: UInt8) {
        send([0x04, 0x3E, 13, 0x05, handle, 0, random, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    /// Takes the PDUs of pairings and the keys that the host has given.
    private mutating func look() {
        // The controller has room again at once: a PDU that waited here would be unknown to the witness, and not to the
        // Security Manager.
        while !rig.controller.data.isEmpty {
            let packets = rig.controller.data
            rig.controller.data.removeAll()
            for packet in packets {
                receive(packet)
                rig.send(ControllerPacket.completed(packet[1], 1))
            }
        }
        for (handle, key) in rig.controller.keys {
            var known = store.bonds.map(\.longTermKey)
            if let key = pairings[handle]?.key { known.append(key) }
            let isKnown = known.contains { known in
                var octets: [UInt8] = []
                known.append(leastSignificantFirstTo: &octets)
                return octets == key
            }
            require(isKnown || given.contains(key), "a key that nobody has proved to have")
            given.insert(key)
        }
    }

    /// A packet of the host, which may be a whole PDU of the Security Manager's channel.
    private mutating func receive(_ packet: [UInt8]) {
        guard packet.count > 9, packet[7] == 6, packet[8] == 0, packet[2] & 0x30 == 0 else { return }
        let octets = Array(packet[9...])
        if let pdu = try? SecurityPDU.parse(octets.span) { sent(pdu, packet[1]) }
    }

    /// Keys that were once right: a bond may have been forgotten since.
    private var given: Set<[UInt8]> = []

    private mutating func sent(_ pdu: SecurityPDU, _ handle: UInt8) {
        switch pdu {
        case .pairingResponse(let response):
            guard let request = requests[handle], let own = responders[handle] else { return }
            pairings[handle] = ObservedPairing(
                request: request, response: response, initiator: PairingHost.address(handle), responder: own,
                received: nil, published: nil, proven: nil, isInWindow: false)
        case .failed: pairings[handle] = nil
        case .securityRequest: break
        case .identityInformation, .identityAddress: pairings[handle]?.isEncrypted = true
        default: pairings[handle]?.answered(pdu)
        }
    }

    /// A sound controller and a sound central: they pair, and the link is encrypted.
    mutating func recover() {
        for bond in store.bonds { rig.host.forget(bond.identity, at: rig.now) }
        store.fault = nil
        rig.settle()
        rig.recover()
        look()
        pairings = [:]
        responders[0x40] = PairingHost.own(0)
        send(ControllerPacket.completed(0x40, 4))
        let before = rig.paired.count
        var nothing = FuzzInput([])
        for _ in 0..<4 {
            require(proceed(0x40, changing: 0, by: 0, &nothing), "a sound central does not know what to say")
            send(ControllerPacket.completed(0x40, 4))
        }
        rig.controller.keys.removeAll()
        requestKey(0x40, random: 0)
        require(rig.controller.keys.count == 1, "a sound central's controller is given no key")
        send(ControllerPacket.encryption(0x40))
        for _ in 0..<2 { proceed(0x40, changing: 0, by: 0, &nothing) }
        require(rig.paired.count == before + 1, "a sound central cannot pair")
        require(rig.host.securityLevel(rig.links[0]).isEncrypted, "the link is not encrypted")
    }
}
