// SPDX-License-Identifier: Apache-2.0

import Peripheral
import SimBLE
import TestSupport
import Timekeeping

/// Apps and strangers at a SimBLE server with any controller: without the token no request is executed, each request is
/// answered once at most, and only what is connected receives octets.
func fuzzSimBLE(_ input: inout FuzzInput) {
    guard let token = SimBLEToken(SimBLERig.token) else { finding("a token of 32 octets is none") }
    var rig = SimBLERig(token, extended: input.octet() & 1 == 0)
    while let choice = input.next() {
        switch choice {
        case 0..<0x10: rig.pass(.milliseconds(Int(choice) * Int(choice) * 20))
        case 0x10..<0x20: rig.connect()
        case 0x20..<0x28: rig.disconnect(&input)
        case 0x28..<0x2C: rig.controller.isAnswering = choice & 1 == 0
        case 0x2C: rig.lose()
        case 0x30..<0x60: rig.write(input.block(), &input)
        case 0x60..<0xB0: rig.request(choice, &input)
        case 0xB0..<0xB8: rig.send(ControllerPacket.connected(choice & 3 | 0x40, role: 0))
        case 0xB8..<0xC0: rig.send(ControllerPacket.disconnected(choice & 3 | 0x40))
        case 0xC0..<0xE0: rig.send(ControllerPacket.data(choice & 3 | 0x40, input.block(), channel: 4))
        case 0xE0..<0xF0:
            let parameters = input.block()
            rig.send([0x04, 0x3E, UInt8(truncatingIfNeeded: parameters.count)] + parameters)
        default: rig.send(input.block())
        }
    }
    rig.pass(.seconds(60))
}

private struct SimBLERig: TimedRig {
    static let token = [UInt8](repeating: 0xAB, count: SimBLEToken.count)

    var server: SimBLEServer
    var controller: FuzzController
    var now = Instant.origin
    private var connections: [SimBLEConnectionID] = []
    /// The number of octets of the token that were written, in whatever pieces.
    private var shown = 0
    private var packet: [UInt8] = []

    init(_ token: SimBLEToken, extended: Bool) {
        server = SimBLEServer(token: token, address: .randomStatic(from: 7))
        controller = FuzzController(extended: extended)
        server.start(at: now)
        settle()
    }

    var deadline: Instant? { server.nextDeadline }

    mutating func reach(_ instant: Instant) {
        server.advance(to: instant)
        settle()
    }

    mutating func send(_ packet: [UInt8]) {
        server.receive(packet.span, at: now)
        settle()
    }

    mutating func lose() {
        server.transportLost(at: now)
        settle()
        server.start(at: now)
        settle()
    }

    mutating func connect() {
        guard let id = server.connected(at: now) else {
            return require(connections.count == SimBLEServer.maximumConnections, "refused with room")
        }
        require(!connections.contains(id), "\(id) comes again")
        connections.append(id)
        settle()
        require(connections.count <= SimBLEServer.maximumConnections, "too many connections")
    }

    mutating func disconnect(_ input: inout FuzzInput) {
        guard !connections.isEmpty else { return }
        server.disconnected(connections.remove(at: input.number(below: connections.count)), at: now)
        settle()
    }

    mutating func write(_ octets: [UInt8], _ input: inout FuzzInput) {
        guard !connections.isEmpty else { return }
        shown += octets.count { $0 == SimBLERig.token[0] }
        server.receive(octets.span, from: connections[input.number(below: connections.count)], at: now)
        settle()
    }

    /// A frame with the token, and operation and further members of the input.
    mutating func request(_ choice: UInt8, _ input: inout FuzzInput) {
        var payload: [UInt8] = [0xA0 | choice & 0x07, 0x00, input.octet() % 24, 0x07, 0x58, 0x20] + SimBLERig.token
        if choice & 0x08 != 0 {
            // The identifier of a device: kind and lowest octet of its address.
            payload += [0x18, 0x1E, 0x50, 0x72, 0x65, 0x61, 0x64, 0x72, 0x64, 0x81, 0x00, 0x80, 0x00]
            payload += [0xC0, 0x00, 0x00, 0x00, 0x00, input.octet() & 3]
        }
        payload += input.block()
        write([0, 0, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)] + payload, &input)
    }

    private mutating func settle() {
        while server.popPacket(into: &packet) {
            if let answer = controller.receive(packet) { server.receive(answer.span, at: now) }
        }
        controller.data.removeAll(keepingCapacity: true)
        while let effect = server.nextEffect() {
            switch effect {
            case .send(let id, let octets):
                require(connections.contains(id), "octets for a connection that has ended")
                require(
                    octets.count > 4 && Int(octets[2]) << 8 | Int(octets[3]) == (octets.count - 4) & 0xFFFF,
                    "a frame of \(octets.count) octets with another length")
            case .close(let id):
                require(connections.contains(id), "the end of a connection that has ended")
                connections.removeAll { $0 == id }
            case .notice(.scanning), .notice(.app):
                require(shown >= SimBLERig.token.count, "executed without the token")
            case .notice: break
            }
        }
    }
}
