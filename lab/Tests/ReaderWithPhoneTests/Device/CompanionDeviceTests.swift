// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import Reader
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import ReaderTestSupport

/// Another device on the reader's radio.
@Suite struct CompanionDeviceTests {
    /// One that has a service of its own, and notes what it is told.
    private final class Companion: CompanionDevice {
        var isShown = false
        var links: [LinkID] = []
        var others = 0
        let served: ServedDevice
        static let address = BluetoothAddress.randomStatic(from: 9)

        init() throws {
            var builder = DatabaseBuilder()
            builder.addGAPService(name: "companion", appearance: 0)
            builder.addService(BluetoothUUID(0xAA00))
            served = ServedDevice(database: try builder.build(), advertisingSets: [16])
        }

        var security: SecuritySetup? {
            SecuritySetup(identity: nil, store: TransientBondStore(), random: SplitMix64(seed: 1))
        }
        var advertisingSet: AdvertisingSet? {
            guard isShown else { return nil }
            return AdvertisingSet(
                id: 16, address: Companion.address, data: [0x03, 0x03, 0x00, 0xAA], scanResponse: [],
                interval: .milliseconds(100))
        }
        var hasLinks: Bool { !links.isEmpty }
        var nextDeadline: Instant? { nil }

        func receive(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool {
            switch event {
            case .connected(let link, let description) where description.device == 1: links.append(link)
            case .disconnected(let link, _) where links.contains(link): links.removeAll { $0 == link }
            default:
                others += 1
                return false
            }
            return true
        }

        func advance(_ host: inout Host, to now: Instant) {}

        func shutDown(_ host: inout Host, at now: Instant) {
            for link in links { host.disconnect(link, reason: .remoteUserTerminated, at: now) }
        }
    }

    /// LE Set Extended Advertising Data and LE Remove Advertising Set (Core 5.4, Vol 4, Part E, 7.8.54 and 7.8.59).
    private static let advertisingData: UInt16 = 0x2037
    private static let removeSet: UInt16 = 0x203C

    @Test func itIsAdvertisedWhileItWantsToBe() throws {
        let companion = try Companion()
        let bench = try DeviceBench(.modern, epochAtOrigin: nil, companion: companion)
        #expect(!bench.takeParameters(of: Self.advertisingData).contains { $0.contains(0xAA) })
        companion.isShown = true
        bench.device.advanceCompanions(at: bench.moment)
        bench.settle()
        let shown = bench.takeParameters(of: Self.advertisingData).filter { $0.suffix(4) == [0x03, 0x03, 0x00, 0xAA] }
        #expect(shown.count == 1)
        companion.isShown = false
        bench.device.advanceCompanions(at: bench.moment)
        bench.settle()
        #expect(bench.takeParameters(of: Self.removeSet).count == 1)
        #expect(bench.controller.violations == [])
    }

    /// Its links take no slot, and the reader is not told of them.
    @Test func itsLinksAreItsOwn() throws {
        let companion = try Companion()
        let bench = try DeviceBench(.modern, epochAtOrigin: nil, companion: companion)
        companion.isShown = true
        bench.device.advanceCompanions(at: bench.moment)
        bench.settle()
        for handle in UInt16(1)...5 { bench.connect(handle, toSet: 16) }
        #expect(companion.links.count == 5)
        #expect(bench.served == 0)
        bench.connect(6, toSet: 0)
        #expect(companion.links.count == 5)
        #expect(bench.served == 1)
        // One whose set nobody knows is the reader's.
        bench.connect(7)
        #expect(companion.links.count == 5)
        #expect(bench.served == 2)
        let hasLinks = bench.device.hasLinks
        #expect(hasLinks)
    }

    /// The reader's own table has nothing of it.
    @Test func itsAttributesAreNotTheReaders() throws {
        let companion = try Companion()
        let with = try DeviceBench(.modern, epochAtOrigin: nil, companion: companion)
        let without = try DeviceBench(.modern, epochAtOrigin: nil)
        for handle in UInt16(1)...40 {
            #expect(with.read(AttributeHandle(rawValue: handle)) == without.read(AttributeHandle(rawValue: handle)))
        }
    }

    @Test func itsLinksEndWithTheReader() throws {
        let companion = try Companion()
        let bench = try DeviceBench(.modern, epochAtOrigin: nil, companion: companion)
        bench.connect(1, toSet: 16)
        #expect(companion.links.count == 1)
        #expect(!bench.isQuiet)
        bench.sent = []
        bench.device.shutDown(at: bench.moment)
        bench.settle()
        // Disconnect (Core 5.4, Vol 4, Part E, 7.1.6).
        #expect(bench.sent.contains { $0.starts(with: [0x01, 0x06, 0x04, 0x03, 0x01, 0x00]) })
    }
}

extension DeviceBench {
    /// The number of links that hold a slot of the reader.
    fileprivate var served: Int { device.reader.servedLinks }
}
