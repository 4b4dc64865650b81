// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Reader
import Testing
import Timekeeping
import VirtualRadio

@testable import ReaderTestSupport

/// The reader's air: a controller that loses its state, and a configuration that changes while the reader runs.
@Suite struct ReaderAirTests {
    private static let data: [(ControllerProfile, UInt16)] = [(.legacy, 0x2008), (.modern, 0x2037)]

    private func configuration(_ modes: [AdvertisingMode]) -> AccessConfiguration {
        AccessConfiguration(
            modes: modes.enumerated().map {
                .init(mode: $1, address: .randomStatic(from: UInt64($0) + 1), gate: nil)
            })
    }

    private func notices(_ bench: DeviceBench) -> [ReaderNotice] {
        var effects: [ReaderEffect] = []
        bench.device.reader.takeEffects(into: &effects)
        return effects.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    // MARK: - The controller

    /// Without a word: found within 30 s, with the strict controller of the lab.
    @Test(arguments: [true, false]) func aSilentRestart(isLegacy: Bool) throws {
        let bench = try DeviceBench(isLegacy ? .legacy : .modern, epochAtOrigin: nil)
        for milliseconds in [300, 4000, 17_000] {
            bench.pass(.milliseconds(milliseconds))
            #expect(bench.device.modes.map(\.state) == [.onAir, .onAir])
            bench.controller.restart()
            _ = bench.takeParameters(of: 0)
            bench.pass(.seconds(30))
            let opcode: UInt16 = isLegacy ? 0x2008 : 0x2037
            #expect(!bench.takeParameters(of: opcode).isEmpty)
            #expect(bench.device.modes.map(\.state) == [.onAir, .onAir])
            // A phone that connects is reported: the controller has the host's masks.
            #expect(bench.read(bench.table.services[0].manufacturer) != nil)
        }
    }

    /// For an hour, nothing is reset, and the questions break no rule.
    @Test(arguments: [true, false]) func aSoundControllerIsNeverReset(isLegacy: Bool) throws {
        let bench = try DeviceBench(isLegacy ? .legacy : .modern, epochAtOrigin: nil)
        bench.pass(.seconds(1))
        bench.sent = []
        bench.pass(.seconds(isLegacy ? 300 : 3600))
        #expect(bench.takeParameters(of: 0x0C03).isEmpty)
        #expect(bench.controller.violations == [])
    }

    // MARK: - The configuration

    /// Other modes without a restart: their packets and services at once, and the door goes on.
    @Test(arguments: [true, false]) func otherModesAreAdvertisedAtOnce(isLegacy: Bool) throws {
        let bench = try DeviceBench(isLegacy ? .legacy : .modern, epochAtOrigin: nil)
        bench.pass(.seconds(1))
        _ = notices(bench)
        bench.sent = []
        try bench.device.reconfigure(configuration([.classic]), door: DoorConfiguration(), at: bench.moment)
        bench.settle()
        bench.pass(.seconds(1))
        let offset = isLegacy ? 1 : 4
        let data = bench.takeParameters(of: isLegacy ? 0x2008 : 0x2037).map { Array($0.dropFirst(offset)) }
        // Flags, and the service of mode classic (access profile, 3).
        let classic: [UInt8] = [0x02, 0x01, 0x06, 0x11, 0x07, 0x00, 0x2A, 0x44, 0x49, 0x65, 0x75, 0x6C, 0x42]
        #expect(!data.isEmpty && data.allSatisfy { $0.starts(with: classic) })
        #expect(bench.device.modes.map(\.mode) == [.classic] && bench.device.modes.map(\.state) == [.onAir])
        #expect(notices(bench).contains(.advertising(.on)))
        // The record is where the new table has it.
        let table = try AccessTable.demo(configuration([.classic]))
        #expect(table.services.count == 2)
        #expect(bench.controller.violations == [])
        for service in table.services { #expect(bench.read(service.manufacturer) != nil) }
    }

    /// A phone that is connected knows the former services: its link ends with 0x13.
    @Test func linksEndWhenTheServicesChange() throws {
        let bench = try DeviceBench(.modern, epochAtOrigin: nil)
        bench.connect(0x40, toSet: 0)
        bench.sent = []
        var same = configuration([.access, .onTouch])
        same.advertisingInterval = .milliseconds(250)
        try bench.device.reconfigure(same, door: DoorConfiguration(), at: bench.moment)
        bench.settle()
        #expect(!bench.sent.contains { $0.starts(with: [0x01, 0x06, 0x04]) })
        // The interval is that of the new configuration: 250 ms are 0x190 units.
        #expect(bench.sent.contains { $0.starts(with: [0x01, 0x36, 0x20]) && $0[7..<10] == [0x90, 0x01, 0x00] })
        try bench.device.reconfigure(configuration([.access]), door: DoorConfiguration(), at: bench.moment)
        bench.settle()
        #expect(bench.sent.contains([0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13]))
    }

    /// Other identifiers alone.
    @Test func otherIdentifiersAreAdvertisedAtOnce() throws {
        let bench = try DeviceBench(.modern, epochAtOrigin: nil)
        var other = configuration([.access, .onTouch])
        other.identifiers.accessService = BluetoothUUID(0xFC00)
        other.identifiers.company = 0x1234
        bench.sent = []
        try bench.device.reconfigure(other, door: DoorConfiguration(), at: bench.moment)
        bench.settle()
        let data = bench.sent.filter { $0.starts(with: [0x01, 0x37, 0x20]) }
        #expect(data.contains { $0.dropFirst(8).starts(with: [0x03, 0x03, 0x00, 0xFC, 0x0D, 0xFF, 0x34, 0x12]) })
        let response = bench.sent.filter { $0.starts(with: [0x01, 0x38, 0x20]) }
        #expect(!response.isEmpty && response.allSatisfy { $0.dropFirst(8).starts(with: [0x14, 0xFF, 0x34, 0x12]) })
    }

    /// The name that tells what the board lacks stays.
    @Test func theNameStays() throws {
        let bench = try DeviceBench(.modern, epochAtOrigin: nil)
        bench.device.lacks([.network], at: bench.moment)
        bench.settle()
        bench.sent = []
        try bench.device.reconfigure(configuration([.onTouch]), door: DoorConfiguration(), at: bench.moment)
        bench.settle()
        let name = MissingParts.network.name.map { Array($0.utf8) } ?? []
        let data = bench.sent.filter { $0.starts(with: [0x01, 0x37, 0x20]) }
        #expect(!name.isEmpty && data.contains { $0.suffix(name.count) == name[...] })
    }

    /// A mode that no controller can advertise as configured is told with the change.
    @Test func unservedModesAreTold() throws {
        let bench = try DeviceBench(.modern, epochAtOrigin: nil)
        _ = notices(bench)
        var other = configuration([.classic, .access])
        other.advertisingInterval = .milliseconds(1)
        try bench.device.reconfigure(other, door: DoorConfiguration(), at: bench.moment)
        bench.settle()
        #expect(notices(bench).contains(.unserved([.classic, .access])))
        #expect(bench.device.modes.map(\.state) == [.unserved, .unserved])
    }
}
