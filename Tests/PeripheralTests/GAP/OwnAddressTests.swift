// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Private addresses: Core 5.4, Vol 6, Part B, 1.3.2; when they change: Vol 3, Part C, 10.7.1.2 and Appendix A.
@Suite struct OwnAddressTests {
    /// The key and the hash of Vol 3, Part H, D.7.
    private static let key = Value128(hex: "ec0234a357c8ad05341010a60a397d9b")
    private static let change: [UInt16] = [0x2039, 0x2035, 0x2037, 0x2038, 0x2039]
    private static let first = "aafb0d948170"

    private func rig(
        _ controller: ScriptedController, _ sets: [AdvertisingSet], script: [UInt8] = [],
        _ change: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Rig {
        var configuration = HostConfiguration.unverified
        change(&configuration)
        let rig = try Rig(controller, sets: sets, configuration: configuration)
        let identity = SecurityIdentity(
            address: BluetoothAddress(kind: .random, value: 0xC000_0000_0001),
            resolvingKey: OwnAddressTests.key)
        rig.host.makePrivateAddresses(with: AddressPrivacy(identity: identity, random: ScriptedRandom(script)))
        return rig
    }

    private func set(_ id: UInt8, _ own: AdvertisingSet.OwnAddress = .resolvable) -> AdvertisingSet {
        AdvertisingSet(
            id: id, ownAddress: own, data: Sample.access, scanResponse: Sample.scanResponse,
            interval: .milliseconds(100))
    }

    private func resolves(_ address: BluetoothAddress?) throws -> Bool {
        IdentityResolution.resolves(try #require(address), with: OwnAddressTests.key)
    }

    /// The octets of the addresses that the commands set, in order.
    private func addresses(_ rig: Rig, _ prefix: String) -> [String] {
        rig.takeCommands().filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    @Test func resolvableAddressOfTheKey() throws {
        for isExtended in [true, false] {
            let rig = try rig(isExtended ? .extended : .legacy, [set(1)], script: [0, 0, 0, 0, 0, 0x30, 0x81, 0x94])
            #expect(rig.onAirAddress(1) == nil)
            rig.start()
            #expect(addresses(rig, isExtended ? "35200701" : "052006") == [OwnAddressTests.first])
            #expect(try resolves(rig.onAirAddress(1)))
            #expect(rig.host.unservedAdvertisingSets == [])
        }
    }

    /// Not before the time, and at most an eighth after it; at random, and each set in its own time.
    @Test func rotation() throws {
        let rig = try rig(.extended, [set(1), set(2), Sample.set(3)])
        rig.start()
        _ = rig.takeCommands()
        rig.run(to: 899_999)
        #expect(rig.takeCommands() == [])
        let first = try #require(rig.nextDeadline)
        rig.runToDeadline()
        let opcodes = rig.takeOpcodes()
        #expect(opcodes == OwnAddressTests.change, "stopped, given another address, and enabled (7.8.52)")
        let second = try #require(rig.nextDeadline)
        #expect(first < second && second <= Instant.origin + .milliseconds(1_012_500))
        rig.run(to: 1_012_500)
        #expect(rig.takeOpcodes() == OwnAddressTests.change)
        var seen: Set<BluetoothAddress> = []
        for _ in 0..<20 {
            rig.runToDeadline()
            for id in [1, 2] as [UInt8] {
                let address = try #require(rig.onAirAddress(id))
                #expect(try resolves(address))
                seen.insert(address)
            }
        }
        #expect(seen.count == 21)
        #expect(rig.onAirAddress(3) == Sample.address(3))
        #expect(!rig.takeCommands().contains { $0.hasPrefix("35200703") })
    }

    /// A legacy advertiser is disabled, given the address, and enabled (7.8.4).
    @Test func rotationOfTheLegacyAdvertiser() throws {
        let rig = try rig(.legacy, [set(1)]) { $0.addressRotation = .seconds(60) }
        rig.start()
        let old = try #require(rig.onAirAddress(1))
        _ = rig.takeCommands()
        rig.run(to: 59_999)
        #expect(rig.takeCommands() == [])
        rig.run(to: 67_500)
        #expect(rig.takeOpcodes() == [0x200A, 0x2005, 0x2006, 0x2008, 0x2009, 0x200A])
        let new = try #require(rig.onAirAddress(1))
        #expect(try resolves(new) && new != old)
    }

    /// A phone whose connection is told before the enable with the new address is answered has connected to the old
    /// one; one that is told afterwards, to the new one.
    @Test(arguments: [true, false])
    func linkWhileTheAddressChanges(isExtended: Bool) throws {
        let load: [UInt8] = isExtended ? [0x39, 0x35, 0x37, 0x38, 0x39] : [0x0A, 0x05, 0x06, 0x08, 0x09, 0x0A]
        for step in 0...load.count {
            let rig = try rig(isExtended ? .extended : .legacy, [set(1)]) { $0.addressRotation = .seconds(60) }
            rig.start()
            let old = try #require(rig.onAirAddress(1))
            _ = rig.takeEvents()
            rig.isAnswering = false
            rig.now = try #require(rig.nextDeadline)
            rig.host.advance(to: rig.now)
            rig.settle()
            for opcode in load.prefix(step) { rig.send([0x04, 0x0E, 0x04, 0x01, opcode, 0x20, 0x00]) }
            // The event that tells of the set comes late, when the address has gone on.
            rig.connect(0x40)
            for opcode in load.dropFirst(step) { rig.send([0x04, 0x0E, 0x04, 0x01, opcode, 0x20, 0x00]) }
            if isExtended { rig.terminate(set: 1, handle: 0x40) }
            var own: BluetoothAddress?
            for case .connected(_, let description) in rig.takeEvents() { own = description.ownAddress }
            if step < load.count {
                #expect(own == old, "step \(step)")
            } else {
                #expect(try resolves(own) && own != old, "step \(step)")
            }
        }
    }

    /// The set is told before the connection: the address that it had then counts.
    @Test func setToldBeforeTheConnection() throws {
        let rig = try rig(.extended, [set(1)]) { $0.addressRotation = .seconds(60) }
        rig.start()
        let old = rig.onAirAddress(1)
        _ = rig.takeEvents()
        rig.run(to: 59_999)
        let due = try #require(rig.nextDeadline)
        rig.now = due + .milliseconds(-1)
        rig.terminate(set: 1, handle: 0x40)
        rig.runToDeadline()
        #expect(rig.onAirAddress(1) != old)
        rig.connect(0x40)
        for case .connected(_, let description) in rig.takeEvents() { #expect(description.ownAddress == old) }
    }

    @Test func nonResolvable() throws {
        let rig = try rig(.extended, [set(1, .nonResolvable)], script: [0xFF, 0xFF, 1, 2, 3, 4, 5, 6])
        rig.start()
        #expect(addresses(rig, "35200701") == ["060504030201"])
        #expect(BluetoothAddress.nonResolvable(from: 0).value == 1)
        #expect(BluetoothAddress.nonResolvable(from: .max).value == 1)
        #expect(BluetoothAddress.nonResolvable(from: 0xFFFF_C000_0000_0002).value == 2)
    }

    /// Without a key, or without randomness, the set is not served, and the others are.
    @Test func addressesThatCannotBeMade() throws {
        let rig = try Rig(.extended, sets: [set(1), set(2, .nonResolvable), Sample.set(3)]).started()
        #expect(rig.host.unservedAdvertisingSets == [1, 2])
        #expect(rig.takeCommands().last == "392006010103000000")
        rig.host.makePrivateAddresses(with: AddressPrivacy(identity: nil, random: ScriptedRandom()))
        #expect(rig.host.unservedAdvertisingSets == [1])
        #expect(rig.host.nextDeadline == rig.now)
        rig.run(to: 0)
        #expect(rig.takeCommands().last == "392006010102000000")
    }

    /// Other octets, or a reset, are no reason for another address; a set taken away loses its own.
    @Test func addressesStay() throws {
        let rig = try rig(.extended, [set(1)])
        rig.start()
        let old = rig.onAirAddress(1)
        var other = set(1)
        other.data = Sample.beacon
        rig.host.configure(advertising: [other], at: rig.now)
        rig.send([0x04, 0x10, 0x01, 0x00])
        #expect(rig.onAirAddress(1) == old && old != nil)
        rig.act { $0.configure(advertising: [], at: $1) }
        rig.act { $0.configure(advertising: [set(1)], at: $1) }
        #expect(rig.onAirAddress(1) != old)
    }

    /// A set that shares a place keeps its address from turn to turn.
    @Test func sharedPlace() throws {
        var controller = ScriptedController.extended
        controller.sets = 1
        let rig = try rig(controller, [set(1), set(2)])
        rig.start()
        rig.run(to: 1000)
        let all = addresses(rig, "3520070")
        #expect(all.count == 11 && Set(all).count == 2)
    }
}
