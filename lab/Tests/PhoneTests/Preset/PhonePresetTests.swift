// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import Testing
import Timekeeping
import VirtualRadio

@testable import Phone

/// Kinds of phones at the level of octets: scan duty, connection, MTU and addresses (docs/emulators/phone.md).
@Suite struct PhonePresetTests {
    /// An access phone of a kind, and a peripheral that advertises as a reader and answers nothing.
    private final class Rig {
        let air = Air(seed: 3)
        let controller: VirtualController
        let peripheral: RawPeripheral
        var phone: AccessPhone<SystemRandomSource>
        var sent: [(at: Instant, packet: [UInt8])] = []

        init(_ preset: PhonePreset) throws {
            controller = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0x1122_3344_5566))
            peripheral = RawPeripheral(air)
            peripheral.send([0x08, 0x20, 0x20, 4, 3, 3, 0xBA, 0xFC] + [UInt8](repeating: 0, count: 27))
            let scalar = InlineArray<32, UInt8>(repeating: 0x11)
            var configuration = AccessPhoneConfiguration(
                service: BluetoothUUID(0xFCBA), token: [], terminal: try P256PrivateKey(scalar: scalar.span).publicKey)
            configuration.become(preset)
            phone = AccessPhone(configuration, address: .randomStatic(from: 7), random: SystemRandomSource())
            phone.start(at: air.now)
        }

        func run(_ duration: Duration) {
            air.run(
                until: air.now + duration, deadline: { phone.nextDeadline },
                step: {
                    phone.advance(to: air.now)
                    controller.exchange(
                        pop: {
                            guard phone.popPacket(into: &$0) else { return false }
                            sent.append((air.now, $0))
                            return true
                        }, receive: { phone.receive($0, at: air.now) })
                    peripheral.pump()
                    return false
                })
        }

        /// The packets of a command, whose opcode is given as on the wire.
        func commands(_ opcode: [UInt8]) -> [(at: Instant, packet: [UInt8])] {
            sent.filter { Array($0.packet.prefix(3)) == [0x01] + opcode }
        }
    }

    private func preset(_ name: String) throws -> PhonePreset { try #require(PhonePreset.named(name)) }

    /// LE Set Extended Scan Parameters (Core 5.4, Vol 4, Part E, 7.8.64): active; interval and window in 0.625 ms.
    @Test(
        arguments: [
            ("iphone-foreground", [0x60, 0x00, 0x40, 0x00]), ("iphone-locked", [0xC0, 0x12, 0xC0, 0x00]),
            ("android-foreground", [0xA0, 0x00, 0xA0, 0x00]), ("android-background", [0xC0, 0x08, 0xE0, 0x00]),
            ("android-screen-off", [0x00, 0x40, 0x33, 0x03]), ("old-android", [0xA0, 0x00, 0xA0, 0x00]),
        ] as [(String, [UInt8])])
    func scanDuty(_ name: String, _ duty: [UInt8]) throws {
        let rig = try Rig(preset(name))
        rig.run(.milliseconds(1))
        #expect(rig.commands([0x41, 0x20]).map(\.packet) == [[0x01, 0x41, 0x20, 0x08, 0x01, 0x00, 0x01, 0x01] + duty])
        #expect(rig.controller.violations == [])
    }

    /// LE Extended Create Connection (7.8.66): interval in 1.25 ms, latency, supervision time-out in 10 ms.
    @Test(
        arguments: [
            ("iphone-foreground", [0x18, 0x00, 0x18, 0x00, 0x00, 0x00, 0x48, 0x00]),
            ("android-foreground", [0x28, 0x00, 0x28, 0x00, 0x00, 0x00, 0xF4, 0x01]),
            ("old-android", [0x28, 0x00, 0x28, 0x00, 0x00, 0x00, 0xD0, 0x07]),
        ] as [(String, [UInt8])])
    func connection(_ name: String, _ parameters: [UInt8]) throws {
        let rig = try Rig(preset(name))
        rig.run(.seconds(1))
        let packet = try #require(rig.commands([0x43, 0x20]).first?.packet)
        #expect(Array(packet[18..<26]) == parameters)
        #expect(rig.controller.violations == [])
    }

    /// ATT_EXCHANGE_MTU_REQ (Core 5.4, Vol 3, Part F, 3.4.2.1).
    @Test(
        arguments: [("iphone-foreground", [0xB9, 0x00]), ("android-foreground", [0x05, 0x02])] as [(String, [UInt8])])
    func mtu(_ name: String, _ octets: [UInt8]) throws {
        let rig = try Rig(preset(name))
        rig.run(.seconds(1))
        #expect(Array(rig.peripheral.takeData().prefix(7)) == [3, 0, 4, 0, 0x02] + octets)
    }

    /// A phone that looks for readers all day takes another private address each 15 min, while its scan is off
    /// (7.8.4 refuses it else).
    @Test func addressRotates() throws {
        let rig = try Rig(preset("android-foreground"))
        rig.air.setLoss(from: rig.peripheral.controller, to: rig.controller, share: 1)
        rig.run(.seconds(31 * 60))
        let addresses = rig.commands([0x05, 0x20])
        #expect(addresses.map { ($0.at - .origin) / .seconds(60) } == [0, 15, 30])
        #expect(Set(addresses.map { Array($0.packet.dropFirst(4)) }).count == 3)
        // Non-resolvable private: the two most significant bits are clear (Vol 6, Part B, 1.3.2.2).
        #expect(addresses.dropFirst().allSatisfy { $0.packet[9] & 0xC0 == 0 })
        #expect(rig.controller.violations == [])
    }

    @Test func namesAreUnique() {
        #expect(Set(PhonePreset.all.map(\.name)).count == PhonePreset.all.count)
        #expect(PhonePreset.all.map(\.eventsToUpdate) == [13, 13, 6, 6, 6, 6])
        #expect(PhonePreset.named("nokia-3310") == nil)
    }
}
