// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import VirtualRadio

/// Link Layer privacy (Core 5.4, Vol 4, Part E, 7.8.38 to 7.8.45, 7.8.77; Vol 6, Part B, 6).
@Suite struct PrivacyTests {
    private static let profile: ControllerProfile = {
        var profile = ControllerProfile.modern
        profile.resolvingListSize = 3
        return profile
    }()

    /// The key, and the address of prand 708194 with its hash 0DFBAA (Core 5.4, Vol 3, Part H, D.7), in HCI order.
    private static let key: [UInt8] = [
        0x9B, 0x7D, 0x39, 0x0A, 0xA6, 0x10, 0x10, 0x34, 0x05, 0xAD, 0xC8, 0x57, 0xA3, 0x34, 0x02, 0xEC,
    ]
    private static let address: [UInt8] = [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70]
    private static let otherKey = [UInt8](repeating: 0x11, count: 16)
    private static let none = [UInt8](repeating: 0, count: 16)
    /// Public identities.
    private static let peer: [UInt8] = [0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
    private static let own: [UInt8] = [0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1]

    private let air = Air(seed: 7)

    private func host(_ address: [UInt8]) -> RawHost {
        let value = address.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .ready(air, Self.profile, address: value)
    }

    private func add(_ host: RawHost, _ identity: [UInt8], peer: [UInt8], local: [UInt8]) -> UInt8 {
        host.status(0x2027, [0] + identity + peer + local)
    }

    /// A host that resolves `identity` by `peer`, and has private addresses by `local`.
    private func resolving(
        _ address: [UInt8], _ identity: [UInt8], peer: [UInt8], local: [UInt8] = none
    ) -> RawHost {
        let host = host(address)
        #expect(add(host, identity, peer: peer, local: local) == 0)
        #expect(host.status(0x202D, [1]) == 0)
        return host
    }

    /// A host that advertises under the address of the specification's vector, connectable.
    private func advertiser(kind: UInt8 = 1) -> RawHost {
        let host = host(Self.peer)
        #expect(host.status(0x2005, Self.address) == 0)
        advertise(host, ownType: kind)
        return host
    }

    /// Advertises with the legacy commands, every 20 ms: ADV_IND, or low duty cycle directed to `target`.
    private func advertise(_ host: RawHost, ownType: UInt8, type: UInt8 = 0, target: [UInt8] = own) {
        #expect(host.status(0x2006, [0x20, 0, 0x20, 0, type, ownType, 0] + target + [7, 0]) == 0)
        #expect(host.status(0x200A, [1]) == 0)
    }

    /// The address type and the address of the first report.
    private func reported(_ host: RawHost) -> [UInt8]? {
        runAir(air, for: .milliseconds(200), host)
        return host.remove(subevent: 0x02).first.map { Array($0.packet[6..<13]) }
    }

    @Test func withoutPrivacyTheCommandsAreUnknown() {
        let host = RawHost.ready(air, address: 0xA1B2_C3D4_E5F6)
        for opcode in Array<UInt16>(0x2027...0x202E) + [0x204E] {
            #expect(host.status(opcode, []) == 0x01)
        }
        #expect(host.send(0x2003)[7] & 0x40 == 0)
    }

    /// 6.27 and Vol 6, Part B, 4.6: nine commands, and the feature.
    @Test func itIsAnnounced() {
        let host = host(Self.own)
        let commands = host.send(0x1002).dropFirst(7)
        #expect(commands[commands.startIndex + 34] & 0xF8 == 0xF8)
        #expect(commands[commands.startIndex + 35] & 0x07 == 0x07)
        #expect(commands[commands.startIndex + 39] & 0x04 == 0x04)
        #expect(host.send(0x2003)[7] & 0x40 == 0x40)
        #expect(host.send(0x202A) == [0x04, 0x0E, 0x05, 0x01, 0x2A, 0x20, 0x00, 0x03])
    }

    /// 7.8.38 to 7.8.40.
    @Test func theListHasAnEndAndNoDoubles() {
        let host = host(Self.own)
        #expect(add(host, Self.peer, peer: Self.key, local: Self.none) == 0)
        #expect(add(host, Self.peer, peer: Self.otherKey, local: Self.none) == 0x12)
        #expect(add(host, [9, 0, 0, 0, 0, 0], peer: Self.key, local: Self.none) == 0x12)
        #expect(add(host, [9, 0, 0, 0, 0, 0], peer: Self.none, local: Self.none) == 0)
        #expect(add(host, [8, 0, 0, 0, 0, 0], peer: Self.none, local: Self.none) == 0)
        #expect(add(host, [7, 0, 0, 0, 0, 0], peer: Self.none, local: Self.none) == 0x07)
        #expect(host.status(0x2028, [0, 7, 0, 0, 0, 0, 0]) == 0x02)
        #expect(host.status(0x2028, [0, 8, 0, 0, 0, 0, 0]) == 0)
        #expect(host.status(0x204E, [0, 8, 0, 0, 0, 0, 0, 1]) == 0x02)
        #expect(host.status(0x204E, [0] + Self.peer + [2]) == 0x12)
        #expect(host.status(0x2029) == 0)
        #expect(host.status(0x2028, [0] + Self.peer) == 0x02)
        #expect(host.status(0x202E, [0, 0]) == 0x12)
        #expect(host.status(0x202E, [0x11, 0x0E]) == 0x12)
        #expect(host.status(0x202E, [0x10, 0x0E]) == 0)
        #expect(host.status(0x2027, [2] + Self.peer + Self.key + Self.key) == 0x12)
    }

    /// 7.8.38 to 7.8.40, 7.8.44, 7.8.77.
    @Test func theListOfRunningScansDoesNotChange() {
        let host = resolving(Self.own, Self.peer, peer: Self.key)
        host.scanLegacy()
        #expect(add(host, [9, 0, 0, 0, 0, 0], peer: Self.none, local: Self.none) == 0x0C)
        #expect(host.status(0x2028, [0] + Self.peer) == 0x0C)
        #expect(host.status(0x2029) == 0x0C)
        #expect(host.status(0x202D, [0]) == 0x0C)
        #expect(host.status(0x204E, [0] + Self.peer + [1]) == 0x0C)
        #expect(host.status(0x200C, [0, 0]) == 0)
        #expect(host.status(0x202D, [0]) == 0)
        host.scanLegacy()
        #expect(host.status(0x2029) == 0, "without resolution the list is free")
    }

    @Test func aScannerReportsTheIdentity() {
        let advertiser = advertiser()
        let scanner = resolving(Self.own, Self.peer, peer: Self.key)
        scanner.scanLegacy()
        #expect(reported(scanner) == [0x02] + Self.peer)
        #expect(
            scanner.send(0x202B, [0] + Self.peer)
                == [0x04, 0x0E, 0x0A, 0x01, 0x2B, 0x20, 0x00] + Self.address)
        #expect(scanner.send(0x202C, [0] + Self.peer) == [0x04, 0x0E, 0x0A, 0x01, 0x2C, 0x20, 0x00, 0, 0, 0, 0, 0, 0])
        #expect(scanner.send(0x202B, [0] + Self.own) == [0x04, 0x0E, 0x04, 0x01, 0x2B, 0x20, 0x02])
        withExtendedLifetime(advertiser) {}
    }

    @Test func withoutTheKeyOrResolutionTheAddressStays() {
        let advertiser = advertiser()
        let foreign = resolving(Self.own, Self.peer, peer: Self.otherKey)
        foreign.scanLegacy()
        #expect(reported(foreign) == [0x01] + Self.address)
        let off = host([1, 2, 3, 4, 5, 6])
        #expect(add(off, Self.peer, peer: Self.key, local: Self.none) == 0)
        off.scanLegacy()
        #expect(reported(off) == [0x01] + Self.address)
        withExtendedLifetime(advertiser) {}
    }

    /// Vol 6, Part B, 6.5: in network privacy mode an identity with a key is ignored, in device privacy mode not.
    @Test(arguments: [(0, nil), (1, [0x00] + peer)] as [(UInt8, [UInt8]?)])
    func anIdentityAddressIsIgnoredByTheMode(_ mode: UInt8, _ report: [UInt8]?) {
        let advertiser = advertiser(kind: 0)
        let scanner = host(Self.own)
        #expect(add(scanner, Self.peer, peer: Self.key, local: Self.none) == 0)
        #expect(scanner.status(0x204E, [0] + Self.peer + [mode]) == 0)
        #expect(scanner.status(0x202D, [1]) == 0)
        scanner.scanLegacy()
        #expect(reported(scanner) == report)
        withExtendedLifetime(advertiser) {}
    }

    /// 7.8.16: the accept list has the identity.
    @Test func theAcceptListHasTheIdentity() {
        let advertiser = advertiser()
        let scanner = resolving(Self.own, Self.peer, peer: Self.key)
        #expect(scanner.status(0x2011, [0] + Self.peer) == 0)
        #expect(scanner.status(0x200B, [1, 0x10, 0, 0x10, 0, 0, 1]) == 0)
        #expect(scanner.status(0x200C, [1, 0]) == 0)
        #expect(reported(scanner) == [0x02] + Self.peer)
        withExtendedLifetime(advertiser) {}
    }

    /// Connects to an identity by the resolving list, under a private address.
    private func connect(_ host: RawHost, to identity: [UInt8]) -> UInt8 {
        var parameters = connectParameters(to: identity, kind: 2)
        parameters[12] = 2  // Own_Address_Type
        return host.status(0x200D, parameters)
    }

    /// The parts of Enhanced Connection Complete (7.7.65.10): the peer with its kind, the local and the peer's private
    /// address.
    private func connected(_ host: RawHost) throws -> (peer: [UInt8], local: [UInt8], remote: [UInt8]) {
        let packet = try #require(host.remove(subevent: 0x0A).first?.packet)
        try #require(packet.count == 34)
        return (Array(packet[8...14]), Array(packet[15...20]), Array(packet[21...26]))
    }

    /// The identities, and the private addresses of both sides.
    @Test func bothSidesConnectUnderPrivateAddresses() throws {
        let peripheral = resolving(Self.peer, Self.own, peer: Self.otherKey, local: Self.key)
        advertise(peripheral, ownType: 2)
        let central = resolving(Self.own, Self.peer, peer: Self.key, local: Self.otherKey)
        #expect(connect(central, to: Self.peer) == 0)
        runAir(air, for: .milliseconds(500), peripheral, central)
        let (atCentral, atPeripheral) = (try connected(central), try connected(peripheral))
        #expect(atCentral.peer == [0x02] + Self.peer)
        #expect(atPeripheral.peer == [0x02] + Self.own)
        #expect(atCentral.local == atPeripheral.remote)
        #expect(atCentral.remote == atPeripheral.local)
        for address in [atCentral.local, atPeripheral.local] { #expect(address[5] >> 6 == 0b01) }
        #expect(central.send(0x202C, [0] + Self.peer).suffix(6) == atCentral.local[...])
        #expect(central.send(0x202B, [0] + Self.peer).suffix(6) == atCentral.remote[...])
    }

    /// 7.8.45: a private address lives as long as the time-out.
    @Test func thePrivateAddressChanges() {
        let peripheral = resolving(Self.peer, Self.own, peer: Self.otherKey, local: Self.key)
        #expect(peripheral.status(0x202E, [1, 0]) == 0)
        advertise(peripheral, ownType: 2)
        let scanner = host([1, 2, 3, 4, 5, 6])
        scanner.scanLegacy()
        var seen: [[UInt8]] = []
        for _ in 0..<30 { if let report = reported(scanner), seen.last != report { seen.append(report) } }
        #expect((6...7).contains(seen.count), "6 s")
        #expect(Set(seen).count == seen.count)
    }

    /// Vol 6, Part B, 6.3: TargetA is a private address of the peer, and only its owner answers.
    @Test func directedAdvertisingNamesAPrivateTarget() throws {
        let peripheral = resolving(Self.peer, Self.own, peer: Self.otherKey, local: Self.key)
        advertise(peripheral, ownType: 2, type: 4)
        let stranger = host([1, 2, 3, 4, 5, 6])
        stranger.scanLegacy()
        let central = resolving(Self.own, Self.peer, peer: Self.key, local: Self.otherKey)
        central.scanLegacy()
        #expect(reported(central) == [0x02] + Self.peer)
        #expect(stranger.remove(subevent: 0x02).isEmpty)
        #expect(central.status(0x200C, [0, 0]) == 0)
        #expect(connect(central, to: Self.peer) == 0)
        runAir(air, for: .milliseconds(500), peripheral, central)
        #expect(try connected(central).peer == [0x02] + Self.peer)
        #expect(try connected(peripheral).peer == [0x02] + Self.own)
    }

    /// Without an entry the types 2 and 3 are the public and the random address (7.8.5).
    @Test(arguments: [(2, [0x00] + peer), (3, [0x01] + address)] as [(UInt8, [UInt8])])
    func withoutAnEntryTheTypeFallsBack(_ type: UInt8, _ report: [UInt8]) {
        let advertiser = advertiser(kind: type)
        let scanner = host(Self.own)
        scanner.scanLegacy()
        #expect(reported(scanner) == report)
        withExtendedLifetime(advertiser) {}
    }
}
