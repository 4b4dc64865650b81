// SPDX-License-Identifier: Apache-2.0

import AirRig
import CBOR
import Crypto
import HostLoop
import Peripheral
import SimBLE
import Testing
import Timekeeping
import VirtualRadio

/// A server on the virtual air with a thermometer, and connections of apps.
final class ServerRig {
    /// The state of the thermometer.
    struct Thermometer {
        var written: [[UInt8]] = []
    }

    static let service = BluetoothUUID(0x1809), value = BluetoothUUID(0x2A1C), setting = BluetoothUUID(0x2A21)

    let device: ProgramRig<Thermometer>
    let app: HostedParty<SimBLEServer>
    /// The frames for each connection, without those read.
    private var sent: [SimBLEConnectionID: [[UInt8]]] = [:]
    private(set) var closed: [SimBLEConnectionID] = []
    private(set) var notices: [SimBLENotice] = []

    init(starts: Bool = true) throws {
        var thermometer = DeviceDefinition<Thermometer>(name: "thermometer")
        thermometer.addService(ServerRig.service)
        let value = thermometer.addCharacteristic(
            ServerRig.value, [.read, .notify], value: [UInt8](repeating: 7, count: 200))
        let setting = thermometer.addCharacteristic(ServerRig.setting, [.read, .write], value: [1], maximumCount: 100)
        thermometer.onWrite(setting) { state, context, write in
            guard write.value != [0xFF] else { return .refuse(ATTErrorCode(rawValue: 0x80)) }
            state.written.append(write.value)
            context.notify(value, write.value)
            return .accept
        }
        device = try ProgramRig(Thermometer(), [thermometer])
        let token = try WireTests.token
        let server = SimBLEServer(token: token, address: .randomStatic(from: 0x77))
        app = HostedParty(
            server, device.air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xA1)))
        guard starts else { return }
        app.host.start(at: now)
        run(.milliseconds(50))
    }

    var now: Instant { device.air.now }

    /// The identifier of the thermometer.
    var peripheral: [UInt8] {
        let address = device.keys.address(ofDevice: 0)
        return [0x72, 0x65, 0x61, 0x64, 0x72, 0x64, 0x81, 0x00, 0x80, 0x00]
            + (0..<6).reversed().map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
    }

    /// Lets time pass.
    func run(_ duration: Duration) {
        device.air.run(duration, [device, app])
        drain()
    }

    private func drain() {
        while let effect = app.host.nextEffect() {
            switch effect {
            case .send(let id, let octets): sent[id, default: []].append(octets)
            case .close(let id): closed.append(id)
            case .notice(let notice): notices.append(notice)
            }
        }
    }

    // MARK: - Connections

    func connect() throws -> SimBLEConnectionID {
        let id = app.host.connected(at: now)
        return try #require(id)
    }

    func send(_ octets: [UInt8], _ id: SimBLEConnectionID) {
        app.host.receive(octets.span, from: id, at: now)
        drain()
    }

    func close(_ id: SimBLEConnectionID) { app.host.disconnected(id, at: now) }

    /// The messages that a connection has received, each a map.
    func received(_ id: SimBLEConnectionID) throws -> [[Int64: CBORValue]] {
        drain()
        defer { sent[id] = nil }
        return try (sent[id] ?? []).map { frame in
            let payload = Array(frame.dropFirst(4))
            guard case .map(let members) = try CBORValue(deterministic: payload.span) else { return [:] }
            return Dictionary(
                uniqueKeysWithValues: members.compactMap { key, value in
                    if case .integer(let number) = key { (number, value) } else { nil }
                })
        }
    }

    /// Sends a request on its own connection, as the published library does, and returns its answer.
    func ask(
        _ operation: Int64, _ members: [Int64: CBORValue] = [:], within wait: Duration = .seconds(12)
    ) throws -> [Int64: CBORValue] {
        let id = try connect()
        send(ServerRig.frame(operation, members), id)
        var answer: [Int64: CBORValue]?
        device.air.run(wait, [device, app]) {
            answer = try? received(id).first
            return answer != nil
        }
        close(id)
        return try #require(answer)
    }

    /// The frame of a request with the token.
    static func frame(_ operation: Int64, _ members: [Int64: CBORValue] = [:]) -> [UInt8] {
        var all: [CBORValue: CBORValue] = [.integer(0): .integer(operation), .integer(7): .octets(WireTests.octets)]
        for (key, value) in members { all[.integer(key)] = value }
        var payload: [UInt8] = []
        try? CBORValue.map(all).encode(limit: 1 << 16, into: &payload)
        return [0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }

    /// Keys 30 to 32 of a characteristic of the thermometer.
    func attribute(_ uuid: BluetoothUUID) -> [Int64: CBORValue] {
        [
            30: .octets(peripheral), 31: .text(ServerRig.service.description), 32: .text(uuid.description),
        ]
    }

    /// Connects to the thermometer, and discovers its attributes.
    func discover() throws {
        let id: [Int64: CBORValue] = [30: .octets(peripheral)]
        #expect(try ask(5, id) == [0: .integer(5), 1: .integer(0), 30: .octets(peripheral)])
        _ = try ask(7, id)
        _ = try ask(8, id.merging([31: .text(ServerRig.service.description)]) { $1 })
    }
}
