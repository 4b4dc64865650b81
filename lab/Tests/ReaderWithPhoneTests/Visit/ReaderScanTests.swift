// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import AirRig
import Peripheral
import Phone
import Proximity
import Reader
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

/// A scan for readers, on virtual air and time.
@Suite struct ReaderScanTests {
    /// Runs a scan beside a reader that is heard at this level.
    private static func run(
        _ scan: inout ReaderScan, dBm: Int8 = -45, modes: [AdvertisingMode] = [.onTouch, .access, .classic],
        for duration: Duration, _ profile: ControllerProfile = .modern
    ) throws -> [ScanNotice] {
        let air = Air(seed: 3)
        let phone = air.addController(profile, address: BluetoothAddress(kind: .public, value: 1))
        let controller = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 2))
        air.setRSSI(from: controller, to: phone, dBm: dBm)
        let reader = try VisitedReader(
            controller,
            AccessConfiguration(
                modes: modes.enumerated().map {
                    .init(mode: $0.element, address: .randomStatic(from: 0x100 + UInt64($0.offset)), gate: .init())
                }), .demo(), epochAtOrigin: VisitRig.epoch)
        var notices: [ScanNotice] = []
        let party = HostedParty(scan, phone)
        party.host.start(at: air.now)
        air.run(
            duration, [reader, party],
            until: {
                notices += all { party.host.nextNotice() }
                return false
            })
        scan = party.host
        #expect(phone.violations == [])
        return notices
    }

    private static func scan(_ duration: Duration?, all: Bool = false) -> ReaderScan {
        ReaderScan(for: duration, showsAll: all, address: .randomStatic(from: 0x77))
    }

    @Test(arguments: [true, false]) func eachModeHasARow(legacy: Bool) throws {
        var scan = Self.scan(.seconds(2))
        let notices = try Self.run(&scan, for: .seconds(5), legacy ? .legacy : .modern)
        #expect(notices.first == .began && notices.last == .ended(nil))
        #expect(notices.filter { $0 == .tick }.count == 8)
        #expect(Set(scan.rows.map(\.sighting.mode)) == [.onTouch, .access, .classic])
        #expect(scan.rows.allSatisfy { $0.sighting.name == "wa0y1YwS" && $0.sighting.isFactory == true })
        #expect(scan.rows.allSatisfy { $0.strip.last == -45 && $0.silentTicks == 0 && $0.packets > 4 })
        #expect(scan.hasHeardReader)
    }

    /// The name of the iBeacon form is in the scan response alone.
    @Test func theIBeaconFormIsKnownAndNamed() throws {
        var scan = Self.scan(.seconds(1))
        _ = try Self.run(&scan, modes: [.accessIBeacon], for: .seconds(2))
        #expect(scan.rows.map(\.sighting.mode) == [.accessIBeacon])
        #expect(scan.rows.first?.sighting.name == "wa0y1YwS")
    }

    @Test func aScanWithoutAnEndIsStopped() throws {
        var scan = Self.scan(nil)
        let notices = try Self.run(&scan, for: .seconds(3))
        #expect(!notices.contains(.ended(nil)))
        scan.stop(at: .origin + .seconds(3))
        #expect(scan.nextNotice() == .ended(nil))
        scan.stop(at: .origin + .seconds(3))
        #expect(scan.nextNotice() == nil)
    }

    /// A strip has the last 24 ticks, and an advertiser that fell silent goes after 10 s.
    @Test func rowsMoveOnAndAreForgotten() throws {
        var scan = Self.scan(nil)
        _ = try Self.run(&scan, for: .seconds(8))
        #expect(scan.rows.count == 3 && scan.rows.allSatisfy { $0.strip.count == ScanRow.stripCount })
        var now = Instant.origin + .seconds(8)
        for _ in 0..<38 {
            now = now + ReaderScan.tick
            scan.advance(to: now)
        }
        #expect(scan.rows.count == 3 && scan.rows.allSatisfy { $0.strip == Array(repeating: nil, count: 24) })
        for _ in 0..<3 {
            now = now + ReaderScan.tick
            scan.advance(to: now)
        }
        #expect(scan.rows.isEmpty && scan.hasHeardReader)
    }
}
