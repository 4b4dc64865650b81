// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Testing
import Timekeeping

@testable import VirtualRadio

/// A host without logic: it sends the octets that it is given, and keeps those that it receives.
final class RawHost {
    let air: Air
    let controller: VirtualController
    /// Packets other than responses to commands, with the time of receipt.
    var inbox: [(at: Instant, packet: [UInt8])] = []

    init(_ air: Air, _ profile: ControllerProfile = .modern, address: UInt64) {
        self.air = air
        controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: address))
    }

    /// A host whose controller is reset, with all events enabled.
    static func ready(_ air: Air, _ profile: ControllerProfile = .modern, address: UInt64) -> RawHost {
        let host = RawHost(air, profile, address: address)
        host.setUp()
        return host
    }

    /// Takes the controller's pending packets.
    func pump() {
        var packet: [UInt8] = []
        while controller.popPacket(into: &packet) { inbox.append((air.now, packet)) }
    }

    /// Sends a command and returns the complete Command Complete or Command Status event.
    @discardableResult
    func send(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
        pump()
        let octets: [UInt8] = [UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
        controller.receive(([0x01] + octets + [UInt8(parameters.count)] + parameters).span)
        var answer: [UInt8] = []
        var packet: [UInt8] = []
        while controller.popPacket(into: &packet) {
            let isComplete = packet.starts(with: [0x04, 0x0E]) && packet[4...].starts(with: octets)
            let isStatus = packet.starts(with: [0x04, 0x0F]) && packet[5...].starts(with: octets)
            if answer.isEmpty, isComplete || isStatus { answer = packet } else { inbox.append((air.now, packet)) }
        }
        return answer
    }

    /// Sends a command and returns the status of its response; 0xFF if there is none.
    @discardableResult
    func status(_ opcode: UInt16, _ parameters: [UInt8] = []) -> UInt8 {
        let answer = send(opcode, parameters)
        guard answer.count >= 7 else { return 0xFF }
        return answer[1] == 0x0E ? answer[6] : answer[3]
    }

    /// Resets the controller, and enables all events.
    func setUp() {
        #expect(status(0x0C03) == 0)
        #expect(status(0x0C01, [UInt8](repeating: 0xFF, count: 7) + [0x3F]) == 0)
        #expect(status(0x2001, [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) == 0)
    }

    /// Sends an ACL packet.
    func acl(_ handle: UInt16, _ data: [UInt8], isStart: Bool = true) {
        var packet: [UInt8] = [0x02]
        packet.append(littleEndian: handle | (isStart ? 0 : 0x1000))
        packet.append(littleEndian: UInt16(data.count))
        controller.receive((packet + data).span)
    }

    /// Removes and returns the packets that begin with these octets.
    func remove(_ prefix: [UInt8]) -> [(at: Instant, packet: [UInt8])] {
        pump()
        let taken = inbox.filter { $0.packet.starts(with: prefix) }
        inbox.removeAll { $0.packet.starts(with: prefix) }
        return taken
    }

    /// Removes and returns the LE Meta events of this subevent.
    func remove(subevent: UInt8) -> [(at: Instant, packet: [UInt8])] {
        pump()
        let isWanted = { (packet: [UInt8]) in packet.count > 3 && packet[1] == 0x3E && packet[3] == subevent }
        let taken = inbox.filter { isWanted($0.packet) }
        inbox.removeAll { isWanted($0.packet) }
        return taken
    }

    /// Advertises with the legacy commands, connectable, on the public address.
    func advertiseLegacy(intervalUnits: UInt8 = 0x20, data: [UInt8] = [], response: [UInt8] = []) {
        let padded = { (octets: [UInt8]) in
            [UInt8(octets.count)] + octets + [UInt8](repeating: 0, count: 31 - octets.count)
        }
        let interval = [intervalUnits, 0, intervalUnits, 0]
        #expect(status(0x2006, interval + [0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0]) == 0)
        #expect(status(0x2008, padded(data)) == 0)
        #expect(status(0x2009, padded(response)) == 0)
        #expect(status(0x200A, [1]) == 0)
    }

    /// Creates and enables an advertising set with a random address of its own.
    func advertiseSet(_ handle: UInt8, address: [UInt8], data: [UInt8] = [], response: [UInt8] = []) {
        #expect(status(0x2036, setParameters(handle)) == 0)
        #expect(status(0x2035, [handle] + address) == 0)
        #expect(status(0x2037, [handle, 3, 1, UInt8(data.count)] + data) == 0)
        #expect(status(0x2038, [handle, 3, 1, UInt8(response.count)] + response) == 0)
        #expect(status(0x2039, [1, 1, handle, 0, 0, 0]) == 0)
    }

    /// Scans with the legacy commands, actively, without pauses, duplicates included.
    func scanLegacy(active: Bool = true) {
        #expect(status(0x200B, [active ? 1 : 0, 0x10, 0, 0x10, 0, 0, 0]) == 0)
        #expect(status(0x200C, [1, 0]) == 0)
    }

    /// Initiates with the legacy command: interval 30 ms, and this supervision time-out in units of 10 ms.
    @discardableResult
    func connect(to address: [UInt8], kind: UInt8 = 0, interval: UInt8 = 24, timeout: UInt8 = 100) -> UInt8 {
        status(0x200D, connectParameters(to: address, kind: kind, interval: interval, timeout: timeout))
    }
}

/// The parameters of LE Create Connection.
func connectParameters(to address: [UInt8], kind: UInt8 = 0, interval: UInt8 = 24, timeout: UInt8 = 100) -> [UInt8] {
    [0x10, 0, 0x10, 0, 0, kind] + address + [0, interval, 0, interval, 0, 0, 0, timeout, 0, 0, 0, 0, 0]
}

/// The parameters of LE Set Extended Advertising Parameters: a connectable set with legacy PDUs, every 20 ms, with a
/// random address of its own.
func setParameters(_ handle: UInt8, properties: UInt8 = 0x13, ownAddressType: UInt8 = 1) -> [UInt8] {
    [handle, properties, 0, 0x20, 0, 0, 0x20, 0, 0, 7, ownAddressType]
        + [0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0]
}

/// Runs the air, with hosts that take their packets at the time of arrival.
func runAir(_ air: Air, for duration: Duration, _ hosts: RawHost...) {
    air.run(
        until: air.now + duration, deadline: { nil },
        step: {
            for host in hosts { host.pump() }
            return false
        })
}

/// The octets of a public address in HCI order.
func octets(_ address: UInt64) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
}

let readerAddress: UInt64 = 0xA1B2_C3D4_E5F6
let phoneAddress: UInt64 = 0x1122_3344_5566
let setAddress: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0xC6]

/// A peripheral and a central with a link between them, interval 30 ms.
final class Linked {
    let air: Air
    let reader: RawHost
    let phone: RawHost
    var readerHandle: UInt16 = 0
    var phoneHandle: UInt16 = 0

    init(
        seed: UInt64 = 1, reader readerProfile: ControllerProfile = .modern,
        phone phoneProfile: ControllerProfile = .modern, timeout: UInt8 = 100
    ) {
        air = Air(seed: seed)
        reader = RawHost.ready(air, readerProfile, address: readerAddress)
        phone = RawHost.ready(air, phoneProfile, address: phoneAddress)
        reader.advertiseLegacy()
        #expect(phone.connect(to: octets(readerAddress), timeout: timeout) == 0)
        runAir(air, for: .milliseconds(100), reader, phone)
        readerHandle = Linked.handle(reader)
        phoneHandle = Linked.handle(phone)
        reader.inbox.removeAll()
        phone.inbox.removeAll()
    }

    private static func handle(_ host: RawHost) -> UInt16 {
        guard let complete = host.remove(subevent: 0x0A).first else {
            Issue.record("no connection")
            return 0
        }
        return UInt16(complete.packet[5]) | UInt16(complete.packet[6]) << 8
    }

    func run(_ duration: Duration) { runAir(air, for: duration, reader, phone) }

    var violations: [String] { reader.controller.violations + phone.controller.violations }
}

extension UInt16 {
    var octets: [UInt8] { [UInt8(self & 0xFF), UInt8(self >> 8)] }
}

/// Another one.
let otherAddress: [UInt8] = [0x06, 0x02, 0x03, 0x04, 0x05, 0xC6]
