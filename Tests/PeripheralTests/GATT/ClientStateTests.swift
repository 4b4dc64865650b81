// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Peripheral
import Testing

/// The persistent state of a bonded client (Core 5.4, Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).
@Suite struct ClientStateTests {
    private func state() throws -> ClientState {
        ClientState(
            configurations: [
                .init(handle: AttributeHandle(rawValue: 3), characteristic: .serviceChanged, value: .indication),
                .init(
                    handle: AttributeHandle(rawValue: 0x0F), characteristic: BluetoothUUID(0x2222),
                    value: [.notification, .indication]),
            ], features: [.robustCaching, .multipleNotifications],
            databaseHash: try #require(DatabaseHash(octets: (0..<16).map { UInt8($0) })), isChangeAware: true)
    }

    private let encoded = packed(
        "01 01 05 000102030405060708090a0b0c0d0e0f 0200"
            + "0300 02 fb349b5f80000080 00100000052a0000" + "0f00 03 fb349b5f80000080 0010000022220000")

    private func decoded(_ octets: [UInt8]) -> Result<ClientState, ClientStateError> {
        do throws(ClientStateError) { return .success(try ClientState(octets.span)) } catch { return .failure(error) }
    }

    @Test func octetsAreThese() throws {
        let state = try state()
        #expect(hex(state.octets) == encoded)
        #expect(decoded(octets(encoded)) == .success(state))
    }

    @Test func cutAtEveryLengthAndWithOneMore() throws {
        let whole = octets(encoded)
        for count in whole.indices {
            guard case .failure(.malformed(.truncated(_, _))) = decoded(Array(whole.prefix(count))) else {
                Issue.record("\(count) octets are taken")
                continue
            }
        }
        #expect(decoded(whole + [0]) == .failure(.malformed(.trailing(offset: whole.count, count: 1))))
    }

    @Test func whatIsNeverWrittenIsRefused() {
        let whole = octets(encoded)
        func changed(_ place: Int, _ value: UInt8) -> Result<ClientState, ClientStateError> {
            var octets = whole
            octets[place] = value
            return decoded(octets)
        }
        #expect(changed(0, 2) == .failure(.unknownVersion(2)) && changed(0, 0) == .failure(.unknownVersion(0)))
        // Flags, features, how many, handle 0, a configuration of nothing and of reserved bits, handles that fall.
        for (place, value): (Int, UInt8) in [(1, 2), (2, 8), (20, 2), (21, 0), (23, 0), (23, 4), (21, 0x0F)] {
            #expect(changed(place, value) == .failure(.invalid), "\(place)")
        }
    }

    @Test func noMoreConfigurationsThanTheBound() throws {
        var state = try state()
        state.configurations = (1...300).map {
            .init(handle: AttributeHandle(rawValue: $0), characteristic: .serviceChanged, value: .indication)
        }
        #expect(state.octets.count == ClientState.maximumCount)
        #expect(try decoded(state.octets).get().configurations.count == 256)
    }

    private func bench() throws -> GATTBench { GATTBench(try GATTCachingTests.database()) }

    private func restore(_ state: ClientState?, _ bench: GATTBench, slot: Int = 0) throws {
        bench.restore(try #require(state), slot: slot)
    }

    @Test func nextConnectionGoesOnWhereTheLastEnded() throws {
        let bench = try bench()
        #expect(bench.clientState(slot: 0)?.configurations == [])
        for pdu in ["12 0400 0200", "12 1000 0100", "12 0600 05"] { #expect(bench.send(pdu) == "13") }
        let state = bench.clientState(slot: 0)
        bench.close(slot: 0)
        #expect(bench.clientState(slot: 0) == nil)
        bench.open(slot: 0)
        // Nothing comes back by itself: another peer may have connected.
        #expect(bench.notify(0x0F, [1]) == (.notSubscribed, "") && bench.send("0a 0600") == packed("0b 00"))
        bench.events.removeAll()
        try restore(state, bench)
        #expect(
            bench.taken().events == [
                .subscribed(AttributeHandle(rawValue: 3), .indication),
                .subscribed(AttributeHandle(rawValue: 0x0F), .notification),
            ])
        #expect(bench.notify(0x0F, [1]) == (.accepted, packed("1b 0f00 01")))
        #expect(bench.send("0a 0600") == packed("0b 05") && bench.isChangeAware(slot: 0))
        #expect(bench.outputs() == [] && bench.clientState(slot: 0) == state)
        #expect(bench.notify(0x0F, [1], slot: 1) == (.notSubscribed, ""))
    }

    @Test func whatTheClientHasConfiguredAlreadyStays() throws {
        let bench = try bench()
        #expect(bench.send("12 1300 0200") == "13")
        let state = bench.clientState(slot: 0)
        bench.open(slot: 0)
        #expect(bench.send("12 1300 0100") == "13")
        bench.events.removeAll()
        try restore(state, bench)
        #expect(bench.events.events.isEmpty)
        #expect(bench.configuration(of: AttributeHandle(rawValue: 0x12), slot: 0) == .notification)
    }

    /// 7.1: a change of the database between two connections.
    @Test func serviceChangedIsIndicatedAfterAChange() throws {
        let bench = try bench()
        for pdu in ["12 0400 0200", "12 1000 0100", "12 1300 0100", "12 0600 01"] { #expect(bench.send(pdu) == "13") }
        let state = bench.clientState(slot: 0)
        let later = GATTBench(try GATTCachingTests.database(isFirst: false))
        try restore(state, later)
        #expect(
            later.taken().events == [
                .subscribed(AttributeHandle(rawValue: 3), .indication),
                .subscribed(AttributeHandle(rawValue: 0x12), .notification), .clientStateChanged,
            ])
        #expect(later.outputs() == ["0.0!1d03000100ffff"])
        #expect(later.send("0a 0d00") == packed("01 0a 0d00 12"))
        #expect(later.send("1e") == "" && later.isChangeAware(slot: 0))
        #expect(later.send("0a 0d00") == packed("0b 61"))
    }

    /// A client that disconnects while change-unaware is change-unaware in the next connection.
    @Test func unawareClientIsUnawareAgain() throws {
        let bench = try bench()
        for pdu in ["12 0400 0200", "12 0600 01"] { #expect(bench.send(pdu) == "13") }
        bench.replaceDatabase(with: try GATTCachingTests.database(isFirst: false))
        #expect(bench.outputs().count == 1)
        let state = bench.clientState(slot: 0)
        #expect(state?.isChangeAware == false)
        bench.open(slot: 0)
        #expect(bench.isChangeAware(slot: 0))
        try restore(state, bench)
        #expect(!bench.isChangeAware(slot: 0) && bench.outputs() == ["0.0!1d03000100ffff"])
    }

    /// The handle belongs to another characteristic now, or to none.
    @Test func configurationOfAnotherCharacteristicIsDropped() throws {
        let bench = try bench()
        var state = try state()
        state.configurations[0].characteristic = BluetoothUUID(0x2A06)
        state.configurations[1].value = .indication
        state.configurations.append(
            .init(handle: AttributeHandle(rawValue: 0xFFFF), characteristic: .serviceChanged, value: .indication))
        try restore(state, bench)
        #expect(bench.taken().events == [.clientStateChanged])
        #expect(bench.clientState(slot: 0)?.configurations == [])
        // A slot without a link takes nothing.
        bench.close(slot: 0)
        for slot in [-1, 0, 2] { bench.restore(state, slot: slot) }
        #expect(bench.events.events.isEmpty)
    }

    /// Restored subscriptions do not bypass the security of the link.
    @Test func restoredSubscriptionIsUnderTheLinksSecurity() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x2222), properties: .notify, security: .authenticated)
        let bench = GATTBench(try builder.build())
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true), slot: 0)
        #expect(bench.send("12 0400 0100") == "13")
        let state = bench.clientState(slot: 0)
        bench.open(slot: 0)
        try restore(state, bench)
        #expect(bench.notify(0x03, [1]) == (.notSubscribed, ""))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true), slot: 0)
        #expect(bench.notify(0x03, [1]).0 == .accepted)
    }
}
