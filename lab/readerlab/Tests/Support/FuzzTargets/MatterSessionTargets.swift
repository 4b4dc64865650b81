// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterSession
import TestSupport
import Timekeeping

/// Datagrams, links and time at a secure channel in a commissioning window. Whatever comes, nobody without the passcode
/// gets a session, what is sent can be read, and what is due is done.
func fuzzMatterMessage(_ input: inout FuzzInput) {
    var rig = MatterChannelRig()
    rig.openWindow()
    while let step = input.next() {
        let peer = MatterChannelRig.peer(step >> 5)
        switch step & 0x0F {
        case 0: rig.advance(by: .milliseconds(Int(input.word())))
        case 1: rig.advance(by: .seconds(Int(input.octet())))
        case 2: rig.openWindow()
        case 3: rig.closeWindow()
        case 4: rig.lose(peer)
        case 5, 6: rig.receive(input.block(), from: peer)
        case 7: checkHeaders(input.block())
        case 8:
            // Pake1 with a share on the curve: the generator.
            rig.receive(opcode: 0x22, [0x15, 0x30, 1, 65] + FuzzPoint.generator + [0x18], node: step >> 5, from: peer)
        case 9:
            let request = [0x15, 0x30, 1, 32] + [UInt8](repeating: step, count: 32)
            rig.receive(
                opcode: 0x20, request + [0x24, 2, 1, 0x24, 3, 0, 0x28, 4, 0x18], node: step >> 5, from: peer)
        default: rig.receive(opcode: input.octet(), input.block(), node: step >> 5, from: peer)
        }
    }
    rig.advance(by: .seconds(300))
    require(rig.channel.deadline == nil, "something is due after five minutes of silence")
}

/// Values of C1, confirmations, messages and time at a BTP link.
func fuzzMatterBTP(_ input: inout FuzzInput) {
    var now = Instant.origin
    var link = BTPLink(at: now)
    var effects: [BTPEffect] = []
    let attMTU = Int(input.octet()) * 2
    if input.octet() & 1 == 0 {
        link.receive([0x65, 0x6C, 4, 0, 0, 0, 0, 0, input.octet()], attMTU: attMTU, at: now, effects: &effects)
        link.subscribed(at: now, effects: &effects)
    }
    var isClosed = false
    while let step = input.next() {
        switch step & 7 {
        case 0: now = now + .milliseconds(Int(input.word()))
        case 1: link.confirmed(at: now, effects: &effects)
        case 2: link.subscribed(at: now, effects: &effects)
        case 3: link.send(input.block(), at: now, effects: &effects)
        case 4:
            // A segment with the header's fields in front, so that a sequence is soon the right one.
            let value = [step >> 3 | 1, input.octet(), input.octet(), 0] + input.block()
            link.receive(value, attMTU: attMTU, at: now, effects: &effects)
        default: link.receive(input.block(), attMTU: attMTU, at: now, effects: &effects)
        }
        link.advance(to: now, effects: &effects)
        if let deadline = link.deadline { require(deadline > now, "what is due is not done") }
        for effect in effects {
            require(!isClosed, "a closed link goes on")
            switch effect {
            case .indicate(let value): require((2...244).contains(value.count), "\(value.count) octets in a segment")
            case .message(let message): require(message.count <= BTPLink.messageLimit, "a message is too long")
            case .close: isClosed = true
            }
        }
        effects = []
    }
    require(!isClosed || link.deadline == nil, "a closed link has something to do")
}

private enum FuzzPoint {
    /// SEC 2, 2.4.2.
    static let generator: [UInt8] = [
        0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
        0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
        0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
        0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]
}

/// A channel with its time.
private struct MatterChannelRig {
    var channel = SecureChannel(random: CountingRandom())
    private var now = Instant.origin
    private var counter: UInt32 = 0
    private var effects: [ChannelEffect] = []

    /// w0 = 1, L the generator: quick to make.
    private static let parameters: PASEParameters = {
        let octets = [UInt8](repeating: 0, count: 31) + [1] + FuzzPoint.generator
        let verifier = certain { try SPAKE2PlusVerifier(octets: octets.span) }
        return PASEParameters(verifier: verifier, iterations: 1000, salt: [UInt8](repeating: 7, count: 16))
    }()

    /// Four hosts and four links.
    static func peer(_ number: UInt8) -> TransportPeer {
        guard number < 4 else { return .ble(link: UInt16(number)) }
        var address = InlineArray<16, UInt8>(repeating: 0)
        address[15] = number
        return .udp(UDPPeer(address: address, port: 5540))
    }

    mutating func openWindow() { channel.acceptPASE(MatterChannelRig.parameters) }

    mutating func closeWindow() { channel.acceptPASE(nil) }

    mutating func lose(_ peer: TransportPeer) {
        channel.linkLost(peer, effects: &effects)
        check()
    }

    mutating func receive(_ octets: [UInt8], from peer: TransportPeer) {
        channel.receive(octets, from: peer, at: now, effects: &effects)
        check()
    }

    /// A message on the unsecured session as it should be, up to its payload.
    mutating func receive(opcode: UInt8, _ payload: [UInt8], node: UInt8, from peer: TransportPeer) {
        counter &+= 1
        let header = MessageHeader(session: 0, counter: counter, source: UInt64(node) + 1)
        let proto = ProtocolHeader(
            isFromInitiator: true, isReliable: node & 1 == 0, opcode: opcode, exchange: UInt16(node >> 1),
            protocolID: 0)
        receive(header.octets + proto.octets + payload, from: peer)
    }

    mutating func advance(by duration: Duration) {
        let end = now + duration
        while let deadline = channel.deadline, deadline <= end {
            now = deadline
            channel.advance(to: now, effects: &effects)
            check()
        }
        now = end
    }

    private mutating func check() {
        if let deadline = channel.deadline { require(deadline > now, "what is due is not done") }
        require(effects.count <= 256, "\(effects.count) effects at once")
        for effect in effects {
            switch effect {
            case .send(let octets, _):
                require(octets.count <= 1232, "a datagram of \(octets.count) octets")
                guard let header = try? MessageHeader(octets.span), header.session == 0 else {
                    finding("what is sent cannot be read")
                }
            case .established, .received: finding("a session without the passcode")
            default: break
            }
        }
        effects = []
    }
}

/// A header that was read is written and read again unchanged, except for extensions.
private func checkHeaders(_ octets: [UInt8]) {
    if let header = try? MessageHeader(octets.span) {
        let written = header.octets
        guard let again = try? MessageHeader(written.span) else { finding("a written header cannot be read") }
        require(again.octets == written && again.count == written.count, "a header is read as another one")
    }
    if let header = try? ProtocolHeader(octets.span) {
        let written = header.octets
        guard let again = try? ProtocolHeader(written.span) else { finding("a written header cannot be read") }
        require(again.octets == written && again.acknowledged == header.acknowledged, "a header is another one")
    }
}
