// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Foundation
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// A capture of a real run, replayed to a host on virtual time: its packets to the controller must equal those of the
/// capture.
@Suite struct ReplayTests {
    /// The contents of a file, and the differences of the host.
    private struct Replay {
        var sent = 0
        var received = 0
        var differences: [String] = []
        /// The duration of the run.
        var end = Instant.origin
    }

    /// The device of the capture: `readerlab emulate gatt` with a table of two services, on RootCanal 1.10, and a
    /// Bumble phone that connects twice, exchanges the MTU, discovers all attributes and reads both values.
    private func heart() throws -> Peripheral.Host {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0x1800))
        builder.addCharacteristic(BluetoothUUID(0x2A00), properties: .read, value: .static(Array("heart".utf8)))
        builder.addService(BluetoothUUID(0x180D))
        builder.addCharacteristic(BluetoothUUID(0x2A38), properties: .read, value: .static([0x01]))
        var configuration = HostConfiguration.unverified
        configuration.maximumMTU = 247
        var (data, name) = (AdvertisingData(), AdvertisingData())
        try data.add(flags: .generalDiscoverable)
        try data.add(services: [BluetoothUUID(0x180D)])
        try name.add(name: "heart")
        var host = Peripheral.Host(database: try builder.build(), configuration: configuration)
        host.configure(advertising: [
            AdvertisingSet(
                id: 0, address: BluetoothAddress(kind: .random, value: 0xC0A8_C4E8_7F06), data: data.octets,
                scanResponse: name.octets, interval: .milliseconds(100))
        ])
        return host
    }

    private func replay(_ file: [UInt8], with host: consuming Peripheral.Host) throws -> Replay {
        var replay = Replay()
        var reader = try BTSnoopReader(file.span)
        var packet: [UInt8] = []
        var first: Int64?
        host.start(at: .origin)
        while let record = try reader.next(file.span) {
            first = first ?? record.microseconds
            let now = Instant.origin + .microseconds(Int(record.microseconds - (first ?? 0)))
            replay.end = now
            var steps = 0
            while let deadline = host.nextDeadline, deadline <= now, steps < 1000 {
                host.advance(to: deadline)
                steps += 1
            }
            let expected = Array(file[record.packet])
            switch record.direction {
            case .received:
                replay.received += 1
                host.receive(expected.span, at: now)
            case .sent:
                replay.sent += 1
                let said = host.outbound.popFirst(into: &packet)
                if !said || packet != expected {
                    replay.differences.append("\(replay.sent): \(said ? hex(packet) : "nothing"), not \(hex(expected))")
                }
            }
            while host.nextEvent() != nil {}
        }
        while host.outbound.popFirst(into: &packet) { replay.differences.append("then \(hex(packet))") }
        return replay
    }

    private func capture() throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appendingPathComponent("Vectors/heart-rootcanal.btsnoop")))
    }

    @Test func runOnRootCanal() throws {
        let replay = try replay(try capture(), with: try heart())
        #expect(replay.differences == [])
        #expect(replay.sent == 36 && replay.received == 60)
        #expect(replay.end > Instant.origin + .milliseconds(500))
    }

    /// The test sees a single octet that is not as it was.
    @Test func otherOctetsAreSeen() throws {
        var file = try capture()
        let value: [UInt8] = [0x0B, 0x68, 0x65, 0x61, 0x72, 0x74]
        let index = try #require(file.indices.dropLast(6).first { Array(file[$0..<($0 + 6)]) == value })
        file[index + 1] = 0x48
        #expect(try replay(file, with: try heart()).differences.count == 1)
    }

    /// Cut short anywhere, with what is left a capture: the host says no more than it did.
    @Test func cutShort() throws {
        let file = try capture()
        var reader = try BTSnoopReader(file.span)
        var ends: [Int] = []
        while let record = try reader.next(file.span) { ends.append(record.packet.upperBound) }
        for end in ends.dropFirst() {
            let replay = try replay(Array(file[..<end]), with: try heart())
            // The answers to the last packets are sent, though the capture no longer contains them.
            #expect(replay.differences.allSatisfy { $0.hasPrefix("then ") } && replay.differences.count <= 2)
        }
    }
}
