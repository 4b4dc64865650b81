// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import VirtualRadio

/// Advertising and scanning: Core 5.4, Vol 4, Part E, 7.8.4 to 7.8.11, 7.8.52 to 7.8.65; Vol 6, Part B, 4.4.
@Suite struct AdvertisingTests {
    let air = Air(seed: 3)

    @Test func legacyReportsAndTheirTiming() {
        let reader = RawHost.ready(air, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        air.setRSSI(from: reader.controller, to: phone.controller, dBm: -61)
        reader.advertiseLegacy(intervalUnits: 0xA0, data: [2, 1, 6], response: [2, 9, 0x41])
        phone.scanLegacy()
        runAir(air, for: .seconds(10), reader, phone)
        let reports = phone.remove(subevent: 0x02)
        let advertisements = reports.filter { $0.packet[5] == 0x00 }
        #expect(
            advertisements[0].packet
                == [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x00, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1, 3, 2, 1, 6, 0xC3])
        #expect(
            reports[1].packet
                == [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x04, 0x00, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1, 3, 2, 9, 0x41, 0xC3])
        // 100 ms plus a random delay of 0 to 10 ms.
        for (earlier, later) in zip(advertisements, advertisements.dropFirst()) {
            #expect((.milliseconds(100) ... .milliseconds(110)).contains(later.at - earlier.at))
        }
        #expect((91...100).contains(advertisements.count))
        #expect(Set(zip(advertisements, advertisements.dropFirst()).map { $1.at - $0.at }).count > 50)
        #expect(reports.count == 2 * advertisements.count)
        #expect(reader.controller.violations + phone.controller.violations == [])
    }

    @Test func extendedSetsWithLegacyPDUs() {
        let reader = RawHost.ready(air, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        reader.advertiseSet(5, address: setAddress, data: [1, 2], response: [3])
        #expect(phone.status(0x2041, [0, 0, 1, 1, 0x10, 0, 0x10, 0]) == 0)
        #expect(phone.status(0x2042, [1, 0, 0, 0, 0, 0]) == 0)
        runAir(air, for: .milliseconds(40), reader, phone)
        let reports = phone.remove(subevent: 0x0D)
        #expect(
            reports[0].packet == [
                0x04, 0x3E, 0x1C, 0x0D, 0x01, 0x13, 0x00, 0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0xC6, 0x01, 0x00, 0xFF,
                0x7F, 0xCE, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 2, 1, 2,
            ])
        #expect(reports[1].packet[5...6] == [0x1B, 0x00])
        #expect(reports[1].packet.last == 3)
        #expect(reader.controller.violations + phone.controller.violations == [])
    }

    @Test func passiveScansDuplicatesAndMasks() {
        let reader = RawHost.ready(air, address: readerAddress)
        reader.advertiseLegacy(data: [1], response: [2])
        let passive = RawHost.ready(air, address: 1)
        passive.scanLegacy(active: false)
        let filtering = RawHost.ready(air, address: 2)
        #expect(filtering.status(0x200B, [1, 0x10, 0, 0x10, 0, 0, 0]) == 0)
        #expect(filtering.status(0x200C, [1, 1]) == 0)
        // The default masks of a reset have no LE Meta event (7.3.1).
        let masked = RawHost(air, address: 3)
        masked.scanLegacy()
        runAir(air, for: .seconds(1), passive, filtering, masked)
        let heard = passive.remove(subevent: 0x02)
        #expect(heard.count > 30 && heard.allSatisfy { $0.packet[5] == 0 })
        #expect(filtering.remove(subevent: 0x02).map { $0.packet[5] } == [0, 4])
        #expect(masked.inbox.isEmpty)
    }

    /// A window of 10 ms in each 100 ms receives about a tenth.
    @Test func windowsAndLossAndAcceptLists() {
        let reader = RawHost.ready(air, address: readerAddress)
        reader.advertiseLegacy()
        let brief = RawHost.ready(air, address: 1)
        #expect(brief.status(0x200B, [0, 0xA0, 0, 0x10, 0, 0, 0]) == 0)
        #expect(brief.status(0x200C, [1, 0]) == 0)
        let half = RawHost.ready(air, address: 2)
        air.setLoss(from: reader.controller, to: half.controller, share: 0.5)
        half.scanLegacy(active: false)
        let choosy = RawHost.ready(air, address: 3)
        #expect(choosy.status(0x2011, [0] + octets(99)) == 0)
        #expect(choosy.status(0x200B, [0, 0x10, 0, 0x10, 0, 0, 1]) == 0)
        #expect(choosy.status(0x200C, [1, 0]) == 0)
        #expect(choosy.status(0x2010) == 0x0C)
        runAir(air, for: .seconds(10), brief, half, choosy)
        #expect((20...70).contains(brief.remove(subevent: 0x02).count))
        #expect((150...250).contains(half.remove(subevent: 0x02).count))
        #expect(choosy.remove(subevent: 0x02).isEmpty)
    }

    @Test func levelsWalkAndFluctuate() {
        let reader = RawHost.ready(air, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        reader.advertiseLegacy()
        phone.scanLegacy(active: false)
        air.walk(from: reader.controller, to: phone.controller, start: -90, end: -40, duration: .seconds(5))
        runAir(air, for: .seconds(6), phone)
        let walk = phone.remove(subevent: 0x02).map { Int8(bitPattern: $0.packet.last ?? 0) }
        #expect(walk.first ?? 0 <= -89 && walk.last == -40)
        #expect(zip(walk, walk.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(air.rssi(from: reader.controller, to: phone.controller) == -40)
        #expect(air.rssi(from: phone.controller, to: reader.controller) == -50)
        air.setFluctuation(from: reader.controller, to: phone.controller, dB: 4)
        runAir(air, for: .seconds(6), phone)
        let noisy = Set(phone.remove(subevent: 0x02).map { Int8(bitPattern: $0.packet.last ?? 0) })
        #expect(noisy == Set(-44 ... -36))
    }

    @Test func scanAndSetDurations() {
        let reader = RawHost.ready(air, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        #expect(phone.status(0x2042, [1, 0, 0, 0, 0, 0]) == 0x0C)
        #expect(phone.status(0x2041, [0, 0, 1, 0, 0x10, 0, 0x10, 0]) == 0)
        #expect(phone.status(0x2042, [1, 0, 10, 0, 0, 0]) == 0)
        reader.advertiseSet(1, address: setAddress)
        #expect(reader.status(0x2039, [1, 1, 1, 20, 0, 0]) == 0)
        runAir(air, for: .seconds(1), reader, phone)
        #expect(phone.remove(subevent: 0x11).map(\.at) == [.origin + .milliseconds(100)])
        let ended = reader.remove(subevent: 0x12)
        #expect(ended.map(\.at) == [.origin + .milliseconds(200)])
        #expect(ended.first?.packet == [0x04, 0x3E, 0x06, 0x12, 0x3C, 0x01, 0x00, 0x00, 0x00])
        // Three events, then 0x43.
        #expect(reader.status(0x2039, [1, 1, 1, 0, 0, 3]) == 0)
        runAir(air, for: .seconds(1), reader, phone)
        #expect(
            reader.remove(subevent: 0x12).map(\.packet) == [[0x04, 0x3E, 0x06, 0x12, 0x43, 0x01, 0x00, 0x00, 0x03]])
        #expect(air.nextDeadline == nil)
    }

    /// Each rule, with a command that violates it and the resulting status.
    @Test func legacyRules() {
        let host = RawHost.ready(air, address: 1)
        let parameters = { (type: UInt8, own: UInt8) in
            [0x20, 0, 0x20, 0, type, own, 0, 0, 0, 0, 0, 0, 0, 7, 0] as [UInt8]
        }
        // 7.8.9: a random address that was never set.
        #expect(host.status(0x2006, parameters(0, 1)) == 0)
        #expect(host.status(0x200A, [1]) == 0x12)
        #expect(host.status(0x2005, setAddress) == 0)
        #expect(host.status(0x200A, [1]) == 0)
        // 7.8.4, 7.8.5: not while it advertises. With the address that it has, a host asks whether it does.
        let before = host.controller.violations.count
        #expect(host.status(0x2005, setAddress) == 0x0C)
        #expect(host.controller.violations.count == before)
        #expect(host.status(0x2005, otherAddress) == 0x0C)
        #expect(host.status(0x2006, parameters(0, 1)) == 0x0C)
        #expect(host.status(0x200A, [0]) == 0)
        // Data of 32 octets; interval; type; channel map; enable 2.
        #expect(host.status(0x2008, [32] + [UInt8](repeating: 0, count: 31)) == 0x12)
        #expect(host.status(0x2006, [0x1F, 0] + parameters(0, 0)[2...]) == 0x12)
        #expect(host.status(0x2006, [0x21, 0] + parameters(0, 0)[2...]) == 0x12)
        #expect(host.status(0x2006, parameters(5, 0)) == 0x12)
        #expect(host.status(0x2006, parameters(0, 4)) == 0x12)
        #expect(host.status(0x2006, parameters(0, 0).dropLast(2) + [0, 0]) == 0x12)
        #expect(host.status(0x200A, [2]) == 0x12)
        // Scanning: parameters during a scan, the window longer than the interval, and the address during a scan.
        #expect(host.status(0x200B, [1, 0x10, 0, 0x11, 0, 0, 0]) == 0x12)
        #expect(host.status(0x200C, [1, 0]) == 0)
        #expect(host.status(0x200B, [1, 0x10, 0, 0x10, 0, 0, 0]) == 0x0C)
        #expect(host.status(0x2005, otherAddress) == 0x0C)
        #expect(host.controller.violations.count == 13)
    }

    @Test func extendedRules() {
        let host = RawHost.ready(air, address: 1)
        // 0x42: unknown set, for each command on sets.
        #expect(host.status(0x2035, [0] + setAddress) == 0x42)
        #expect(host.status(0x2037, [0, 3, 1, 0]) == 0x42)
        #expect(host.status(0x2038, [0, 3, 1, 0]) == 0x42)
        #expect(host.status(0x2039, [1, 1, 0, 0, 0, 0]) == 0x42)
        #expect(host.status(0x203C, [0]) == 0x42)
        #expect(host.status(0x2036, setParameters(0xF0)) == 0x12)
        #expect(host.status(0x2036, setParameters(0, properties: 0x11)) == 0x12)
        #expect(host.status(0x2036, setParameters(0)) == 0)
        // A set needs its own address even if the controller's is set.
        #expect(host.status(0x2005, setAddress) == 0)
        #expect(host.status(0x2039, [1, 1, 0, 0, 0, 0]) == 0x12)
        #expect(host.status(0x2035, [0] + setAddress) == 0)
        // Data: 32 octets, and in pieces.
        #expect(host.status(0x2037, [0, 3, 1, 32] + [UInt8](repeating: 0, count: 32)) == 0x12)
        #expect(host.status(0x2037, [0, 1, 1, 2, 1, 2]) == 0x12)
        // Enable: no set, one twice.
        #expect(host.status(0x2039, [1, 0]) == 0x12)
        #expect(host.status(0x2039, [1, 2, 0, 0, 0, 0, 0, 0, 0, 0]) == 0x12)
        #expect(host.status(0x2039, [1, 1, 0, 0, 0, 0]) == 0)
        // While it is enabled: the address that it has, which is a question; parameters, address, removal, clearing.
        let before = host.controller.violations.count
        #expect(host.status(0x2035, [0] + setAddress) == 0x0C)
        #expect(host.controller.violations.count == before)
        #expect(host.status(0x2036, setParameters(0)) == 0x0C)
        #expect(host.status(0x2035, [0] + otherAddress) == 0x0C)
        #expect(host.status(0x203C, [0]) == 0x0C)
        #expect(host.status(0x203D) == 0x0C)
        #expect(host.controller.violations.count == 16)
        // The controller's random address may change: no legacy advertising runs.
        #expect(host.status(0x2005, setAddress) == 0)
        // More sets than supported: the controller's limit, not the host's fault.
        for handle in 1..<8 { #expect(host.status(0x2036, setParameters(UInt8(handle))) == 0) }
        #expect(host.status(0x2036, setParameters(8)) == 0x07)
        #expect(host.status(0x2039, [0, 0]) == 0)
        #expect(host.status(0x203D) == 0)
        #expect(host.status(0x2039, [1, 1, 0, 0, 0, 0]) == 0x42)
        #expect(air.nextDeadline == nil)
        // Extended PDUs are not simulated, and the status says so.
        #expect(host.status(0x2036, setParameters(0, properties: 0x01)) == 0x11)
    }
}
