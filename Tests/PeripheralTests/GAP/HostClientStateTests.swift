// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing
import Timekeeping

@testable import Peripheral

/// The configuration of a bonded client persists beyond its link (Core 5.4, Vol 3, Part G, 3.3.3.3).
@Suite struct HostClientStateTests {
    /// Keeps states in memory, and counts what would be writes to a disk.
    final class Shelf: ClientStateStore {
        struct Place: Hashable {
            var identity: BluetoothAddress
            var device: Int
        }
        var states: [Place: [UInt8]] = [:]
        var writes = 0

        func clientState(of identity: BluetoothAddress, device: Int) -> [UInt8]? {
            states[Place(identity: identity, device: device)]
        }

        func save(_ octets: [UInt8], of identity: BluetoothAddress, device: Int) {
            writes += 1
            states[Place(identity: identity, device: device)] = octets
        }

        func removeClientStates(of identity: BluetoothAddress) {
            states = states.filter { $0.key.identity != identity }
        }
    }

    private let shelf = Shelf()
    private let subscribe: [UInt8] = [0x12, 10, 0, 1, 0]

    private func rig(_ policies: [SecurityPolicy] = [SecurityPolicy()]) throws -> SecureRig {
        try SecureRig(policies, clientStates: shelf)
    }

    private func bonded(_ rig: SecureRig, set: UInt8 = 1) throws -> (ScriptedCentral, Value128) {
        let central = ScriptedCentral(rig)
        try central.connect(set: set)
        return (central, try central.pair(.justWorks))
    }

    private func notify(_ rig: SecureRig, _ central: ScriptedCentral) -> NotificationOutcome {
        rig.notify(central.link, 9, [1])
    }

    @Test func subscriptionComesBackOnceThePeerHasProvedWhoItIs() throws {
        let rig = try rig()
        let (central, key) = try bonded(rig)
        #expect(rig.request(0x40, subscribe) == "13")
        rig.disconnected(0x40)
        try central.connect()
        // Anybody may use the address.
        #expect(notify(rig, central) == .notSubscribed)
        _ = rig.takeEvents()
        try rig.encrypt(0x40, key)
        #expect(notify(rig, central) == .accepted)
        #expect(
            rig.takeEvents().contains(.subscribed(central.link, AttributeHandle(rawValue: 9), .notification)),
            "the device is told")
    }

    /// For as long as the bond's key, whatever the setup of the host.
    @Test func subscriptionComesBackWithoutAStoreGiven() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let (central, key) = try bonded(rig)
        #expect(rig.request(0x40, subscribe) == "13")
        rig.disconnected(0x40)
        try central.connect()
        try rig.encrypt(0x40, key)
        #expect(notify(rig, central) == .accepted)
    }

    @Test func bondThatMadeRoomLeavesNothing() throws {
        let rig = try SecureRig([SecurityPolicy()], store: TransientBondStore(capacity: 1), clientStates: shelf)
        let (first, _) = try bonded(rig)
        _ = rig.request(0x40, subscribe)
        rig.disconnected(0x40)
        #expect(shelf.states.keys.map(\.identity) == [first.identity])
        _ = rig.takeEvents()
        let second = ScriptedCentral(rig)
        second.become(2)
        try second.connect()
        try second.pair(.justWorks)
        #expect(rig.takeEvents().contains(.bondRemoved(second.link, first.identity)))
        rig.disconnected(0x40)
        #expect(shelf.states.keys.map(\.identity) == [second.identity])
    }

    @Test func changeIsKeptAfterAMomentAndOnlyOnce() throws {
        let rig = try rig()
        _ = try bonded(rig)
        rig.run(to: 5000)
        let writes = shelf.writes
        _ = rig.request(0x40, subscribe)
        _ = rig.request(0x40, [0x12, 10, 0, 0, 0])
        _ = rig.request(0x40, subscribe)
        #expect(shelf.writes == writes)
        rig.run(to: 5999)
        #expect(shelf.writes == writes)
        rig.run(to: 6000)
        #expect(shelf.writes == writes + 1)
        rig.disconnected(0x40)
        #expect(shelf.writes == writes + 1, "nothing has changed since")
        #expect(rig.host.nextDeadline == nil)
    }

    @Test func changeJustBeforeTheEndIsKept() throws {
        let rig = try rig()
        let (central, key) = try bonded(rig)
        _ = rig.request(0x40, subscribe)
        rig.host.transportLost(at: rig.now)
        rig.start()
        try central.connect()
        try rig.encrypt(0x40, key)
        #expect(notify(rig, central) == .accepted)
    }

    @Test func unbondedClientLeavesNothing() throws {
        let rig = try rig()
        let central = ScriptedCentral(rig, io: .noInputNoOutput, [.secureConnections])
        try central.connect()
        let key = try central.agree(.justWorks)
        try rig.encrypt(0x40, key)
        #expect(rig.request(0x40, subscribe) == "13")
        rig.run(to: 5000)
        rig.disconnected(0x40)
        #expect(shelf.writes == 0)
    }

    @Test func forgottenBondLeavesNothing() throws {
        let rig = try rig()
        let (central, _) = try bonded(rig)
        _ = rig.request(0x40, subscribe)
        rig.forget(central.identity)
        rig.run(to: 5000)
        rig.disconnected(0x40)
        #expect(shelf.states.isEmpty)
    }

    /// A pairing creates a new bond without the configuration of the previous one.
    @Test func newBondBeginsAnew() throws {
        let rig = try rig()
        let (central, _) = try bonded(rig)
        _ = rig.request(0x40, subscribe)
        rig.disconnected(0x40)
        rig.host.openPairingWindow(until: rig.now + .seconds(100))
        try central.connect()
        try central.pair(.justWorks)
        #expect(notify(rig, central) == .notSubscribed)
        rig.disconnected(0x40)
        try central.connect()
        #expect(notify(rig, central) == .notSubscribed)
    }

    @Test func devicesOfOneRadioKeepTheirOwn() throws {
        let rig = try rig([SecurityPolicy(), SecurityPolicy()])
        let (central, key) = try bonded(rig)
        _ = rig.request(0x40, subscribe)
        rig.disconnected(0x40)
        try central.connect(set: 2)
        try rig.encrypt(0x40, key)
        #expect(notify(rig, central) == .notSubscribed)
        rig.disconnected(0x40)
        try central.connect(set: 1)
        try rig.encrypt(0x40, key)
        #expect(notify(rig, central) == .accepted)
    }

    @Test(arguments: [[], [0xFF], [UInt8](repeating: 0, count: 9000)] as [[UInt8]])
    func whatCannotBeReadIsAsGoodAsNothing(octets: [UInt8]) throws {
        let rig = try rig()
        let (central, key) = try bonded(rig)
        rig.disconnected(0x40)
        shelf.states[Shelf.Place(identity: central.identity, device: 0)] = octets
        try central.connect()
        try rig.encrypt(0x40, key)
        #expect(notify(rig, central) == .notSubscribed)
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
    }
}
