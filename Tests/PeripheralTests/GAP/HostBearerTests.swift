// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Enhanced ATT bearers through the whole host: Core 5.4, Vol 3, Part G, 5.3, and Part A, 4.25.
@Suite struct HostBearerTests {
    /// 01 FCBA: 02 03 dynamic, 04 05 static "a", 06 07 08 indicated.
    private static func database() throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x1111), properties: [.read, .write], value: .dynamic)
        builder.addCharacteristic(BluetoothUUID(0x2222), properties: .read, value: .static([0x61]))
        builder.addCharacteristic(BluetoothUUID(0x3333), properties: .indicate)
        return try builder.build()
    }

    /// Credit Based Connection Request for SPSM 0x0027: MTU 100, MPS 64, five credits, endpoints 0x0045 and 0x0046.
    private static let request = octets("17010c00270064004000050045004600")

    private func rig(bearers: [Int] = [2], encrypted: Bool = true) throws -> (Rig, LinkID) {
        let devices = try bearers.enumerated().map { number, count in
            var server = GATTServer.Configuration()
            server.enhancedBearers = count
            return ServedDevice(
                database: try HostBearerTests.database(), advertisingSets: [UInt8(number + 1)], server: server)
        }
        let rig = Rig(.extended, devices: devices, sets: (1...devices.count).map { Sample.set(UInt8($0)) }).started()
        let link = try rig.link()
        if encrypted { rig.host.connections[link.slot].security.level.isEncrypted = true }
        _ = rig.takeData()
        return (rig, link)
    }

    /// Payloads of frames since the last call, each behind its channel; the controller takes them all.
    private func frames(_ rig: Rig) -> [String] {
        rig.takeData().map { packet in
            rig.complete(0x40, 1)
            return String(packet.dropFirst(14).prefix(4)) + " " + String(packet.dropFirst(18))
        }
    }

    /// An ATT PDU as an SDU in one K-frame; what comes back.
    private func send(_ rig: Rig, _ pdu: String, channel: UInt8 = 0x40) -> [String] {
        let pdu = octets(pdu)
        rig.frame([UInt8(pdu.count), 0] + pdu, channel: channel)
        // Without the credits that are given back.
        return frames(rig).filter { !$0.hasPrefix("0500 16") }
    }

    @Test func bearersAreOpenedAndServed() throws {
        let (rig, _) = try rig()
        rig.signal(Self.request)
        #expect(frames(rig) == ["0500 18010c000502f7000800000040004100"])
        // The channels are the server's: the device is told of none.
        #expect(rig.takeEvents() == [])
        #expect(send(rig, "0a 0500") == ["4500 02000b61"])
        #expect(send(rig, "0a 0500", channel: 0x41) == ["4600 02000b61"])
        #expect(send(rig, "02 4000") == ["4500 05000102000006"])
        rig.att(0x40, octets("0a 0500"))
        #expect(frames(rig) == ["0400 0b61"])
    }

    @Test func linkThatIsNotEncryptedHasNone() throws {
        let (rig, _) = try rig(encrypted: false)
        rig.signal(Self.request)
        #expect(frames(rig) == ["0500 18010c00000000000000050000000000"])
    }

    @Test func deviceWithoutBearersOffersNone() throws {
        let (rig, _) = try rig(bearers: [0])
        rig.signal(Self.request)
        #expect(frames(rig) == ["0500 18010c00000000000000020000000000"])
    }

    /// Another device on the radio has more bearers: the excess for this one is closed at once.
    @Test func deviceWithFewerBearersClosesTheOthers() throws {
        let (rig, _) = try rig(bearers: [1, 2])
        rig.signal(Self.request)
        let sent = frames(rig)
        #expect(sent.first == "0500 18010c000502f7000800000040004100")
        #expect(sent.dropFirst().map { String($0.dropFirst(7)) } == [packed("01 0400 4600 4100")])
        #expect(send(rig, "0a 0500") == ["4500 02000b61"] && rig.takeEvents() == [])
    }

    /// Each bearer waits separately, and the response is sent on the bearer of the request.
    @Test func deviceAnswersOnTheBearerThatAsked() throws {
        let (rig, link) = try rig()
        rig.signal(Self.request)
        _ = (frames(rig), rig.takeEvents())
        #expect(send(rig, "0a 0300") == [])
        #expect(send(rig, "0a 0300", channel: 0x41) == [])
        let requests = rig.takeEvents().compactMap { event -> AttributeRequestID? in
            if case .readRequested(let request, _, _) = event { request } else { nil }
        }
        try #require(requests.count == 2)
        #expect(requests.allSatisfy { $0.link == link } && requests[0] != requests[1])
        let value: [UInt8] = [7]
        #expect(send(rig, "0a 0500") == [])
        var outcome = rig.host.respond(to: requests[1], value: value.span, at: rig.now)
        rig.settle()
        #expect(outcome == .taken && frames(rig) == ["4600 02000b07"])
        outcome = rig.host.respond(to: requests[0], value: value.span, at: rig.now)
        rig.settle()
        // The request that came meanwhile follows.
        #expect(outcome == .taken && frames(rig) == ["4500 02000b07", "4500 02000b61"])
    }

    @Test func closedChannelEndsItsBearer() throws {
        let (rig, _) = try rig()
        rig.signal(Self.request)
        _ = (frames(rig), rig.takeEvents())
        #expect(send(rig, "0a 0300") == [])
        let request = rig.takeEvents().compactMap { event -> AttributeRequestID? in
            if case .readRequested(let request, _, _) = event { request } else { nil }
        }.first
        rig.signal(octets("0602040040004500"))
        #expect(frames(rig) == ["0500 0702040040004500"] && rig.takeEvents() == [])
        let value: [UInt8] = [7]
        let outcome = rig.host.respond(to: try #require(request), value: value.span, at: rig.now)
        #expect(outcome == .gone && send(rig, "0a 0500", channel: 0x41) == ["4600 02000b61"])
        // The link goes with the other one; the next has none.
        rig.disconnected(0x40)
        #expect(rig.host.connections.allSatisfy { $0.bearerChannels.isEmpty })
        #expect(rig.host.connections[0].client.mtu(bearer: 2) == 23)
    }
}
