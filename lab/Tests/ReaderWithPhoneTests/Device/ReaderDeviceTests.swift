// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing
import Timekeeping
import VirtualRadio

/// Functions of the whole device: the record that carries the last local midnight.
@Suite struct ReaderDeviceTests {
    /// LE Set Scan Response Data and LE Set Extended Scan Response Data (Core 5.4, Vol 4, Part E, 7.8.8 and 7.8.55).
    static let scanResponse: UInt16 = 0x2009
    static let extendedScanResponse: UInt16 = 0x2038
    /// 2026-11-21 00:00:00 UTC.
    static let midnight: Int64 = 1_795_219_200

    func record(_ epoch: UInt32) -> [UInt8] {
        [0x5E, 0x0C, 1, 5, 1, 0, 1, 0] + (0..<4).map { UInt8(truncatingIfNeeded: epoch >> ($0 * 8)) }
            + [UInt8](repeating: 0, count: 7)
    }

    /// Each once; and the reader goes on with the memory that it was given for it.
    @Test func effectsAreHandedOutOnce() throws {
        let bench = try DeviceBench(epochAtOrigin: Self.midnight)
        var effects = [ReaderEffect.door(.setLock(energised: true), since: nil)]
        effects.reserveCapacity(1000)
        bench.device.reader.takeEffects(into: &effects)
        #expect(effects.first == .door(.setLock(energised: false), since: nil))
        bench.device.reader.takeEffects(into: &effects)
        #expect(effects.isEmpty && effects.capacity >= 1000)
    }

    /// Nothing else happens at night: the reader itself has to ask for the call.
    @Test(arguments: [true, false]) func midnightChangesTheScanResponseOfAReaderAtRest(legacy: Bool) throws {
        let bench = try DeviceBench(legacy ? .legacy : .modern, epochAtOrigin: Self.midnight - 5)
        let opcode = legacy ? Self.scanResponse : Self.extendedScanResponse
        let offset = legacy ? 1 : 4
        let before = bench.takeParameters(of: opcode)
        #expect(!before.isEmpty)
        let yesterday = [0x14, 0xFF] + record(UInt32(Self.midnight - 86_400))
        #expect(before.allSatisfy { $0.dropFirst(offset).starts(with: yesterday) })
        bench.pass(.milliseconds(4900))
        _ = bench.takeParameters(of: opcode)
        bench.pass(.seconds(2))
        let after = bench.takeParameters(of: opcode)
        #expect(
            after.last.map { $0.dropFirst(offset).starts(with: [0x14, 0xFF] + record(UInt32(Self.midnight))) } == true)
        #expect(bench.controller.violations == [])
    }

    @Test func midnightChangesTheValueThatPhonesRead() throws {
        let bench = try DeviceBench(epochAtOrigin: Self.midnight - 5)
        for service in bench.table.services {
            #expect(bench.read(service.manufacturer) == record(UInt32(Self.midnight - 86_400)))
        }
        bench.pass(.seconds(6))
        for service in bench.table.services {
            #expect(bench.read(service.manufacturer) == record(UInt32(Self.midnight)))
        }
    }

    @Test func midnightIsTheLocalOne() throws {
        // 13:00 UTC is 00:30 there.
        let bench = try DeviceBench(epochAtOrigin: Self.midnight + 13 * 3600, utcOffsetMinutes: 690)
        #expect(bench.read(bench.table.services[0].manufacturer) == record(UInt32(Self.midnight + 45_000)))
    }

    /// A clock that is set later, as by NTP after the start, is seen within a minute.
    @Test func aClockThatIsSetLaterIsNoticed() throws {
        let bench = try DeviceBench(.modern, epochAtOrigin: nil)
        #expect(bench.read(bench.table.services[0].manufacturer) == record(0))
        bench.pass(.seconds(1))
        bench.wall.epochAtOrigin = Self.midnight + 3600
        bench.pass(.seconds(60))
        #expect(bench.read(bench.table.services[0].manufacturer) == record(UInt32(Self.midnight)))
    }

    /// The process may not end while a command is under way: the one that ends advertising waits behind it.
    @Test func theDeviceIsQuietWhenAdvertisingHasEnded() throws {
        let bench = try DeviceBench(epochAtOrigin: Self.midnight)
        bench.pass(.milliseconds(500))
        var command: [UInt8] = []
        while !bench.device.popPacket(into: &command) {
            bench.air.advance(to: bench.device.nextDeadline ?? bench.now)
            bench.advance()
        }
        bench.sent = [command]
        bench.device.shutDown(at: bench.moment)
        #expect(!bench.isQuiet)
        bench.forward(command)
        bench.settle()
        #expect(bench.isQuiet)
        // LE Set Advertising Enable (7.8.9), off.
        #expect(bench.takeParameters(of: 0x200A).last == [0x00])
    }

    /// Those on their way out may be many: each keeps its connection for up to 32 s.
    @Test func sixteenPhonesThatFellSilentShutNobodyOut() throws {
        let bench = try DeviceBench(epochAtOrigin: Self.midnight)
        for number in 0..<16 { bench.connect(0x0100 + UInt16(number)) }
        // Three are served, and the rest refused; then the three are refused as idle.
        bench.pass(.seconds(4))
        #expect(bench.read(bench.table.services[0].manufacturer) != nil)
    }
}
