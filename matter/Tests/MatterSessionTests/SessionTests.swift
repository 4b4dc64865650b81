// SPDX-License-Identifier: Apache-2.0

import MatterCredentials
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// Begin and end of sessions, and messages that fit none.
struct SessionTests {
    /// 4.11.1.4: the peer closes the session, without acknowledgement.
    @Test func closedByThePeer() throws {
        let (rig, session) = try SessionRig.pase()
        rig.receive(try session.message(8, exchange: 1))
        _ = rig.drain()
        let report = StatusReport.closeSession.octets
        #expect(hex(report) == "0000" + "00000000" + "0300")
        let close = try session.message(0x40, report, exchange: 2, isReliable: false, protocolID: 0)
        #expect(rig.receive(close) == [] && rig.drain() == ["ended"])
        #expect(rig.channel.sessionIDs == [] && rig.channel.exchanges.isEmpty && rig.channel.deadline == nil)
        rig.receive(close)
        #expect(rig.drain() == ["dropped unknownSession(\(session.peerID))"])
    }

    @Test func closedByThisNode() throws {
        let (rig, session) = try SessionRig.pase()
        let id = SessionID(rawValue: session.peerID)
        rig.channel.closeSession(id, notifyingPeer: true, at: rig.now, effects: &rig.effects)
        guard case .send(let datagram, let peer)? = rig.effects.first, peer == .host(1) else {
            Issue.record("nothing is sent")
            return
        }
        let message = try session.read(datagram)
        #expect(message.report == .closeSession && !message.isReliable && message.proto.isFromInitiator)
        #expect(rig.drain() == ["ended"] && rig.channel.session(id) == nil)
        rig.channel.closeSession(id, notifyingPeer: true, at: rig.now, effects: &rig.effects)
        #expect(rig.effects.isEmpty)
    }

    /// Messages that are authentic but fit nothing: acknowledged, no effect.
    @Test func unexpectedMessages() throws {
        let (rig, session) = try SessionRig.pase()
        // Another protocol, an unknown opcode of the Secure Channel protocol, a report that is not Close.
        for (protocolID, opcode) in [(2, 1), (0, 0x20), (0, 0x40)] as [(UInt16, UInt8)] {
            let message = try session.message(opcode, exchange: UInt16(opcode), protocolID: protocolID)
            let answer = try session.read(rig.answer(message))
            #expect(answer.proto.opcode == 0x10 && answer.acknowledged == session.counter)
            #expect(rig.drain() == ["dropped unexpected"] && rig.channel.exchanges.isEmpty)
        }
        // The answer of an exchange that does not exist.
        let answer = try session.message(8, exchange: 77, isFromInitiator: false)
        #expect(try session.read(rig.answer(answer)).proto.isFromInitiator)
        #expect(rig.drain() == ["dropped unexpected"])
        // A vendor's protocol with the number of the interaction model.
        var vendor = ProtocolHeader(isFromInitiator: true, opcode: 2, exchange: 5, protocolID: 1)
        vendor.vendor = 0xFFF1
        session.counter += 1
        rig.receive(
            try MessageProtection.seal(
                vendor.octets, header: MessageHeader(session: session.peerID, counter: session.counter), source: 0,
                key: session.keys.receiving))
        #expect(rig.drain() == ["dropped unexpected"] && rig.channel.exchanges.isEmpty)
    }

    @Test func messagesThatAreNotAuthentic() throws {
        let (rig, session) = try SessionRig.pase()
        var message = try session.message(8, exchange: 1)
        message[message.count - 1] ^= 1
        rig.receive(message)
        #expect(rig.drain() == ["dropped malformed(MatterSession.MessageFault.unauthentic)"])
        // The same session over another transport.
        rig.receive(try session.message(8, exchange: 1), from: .ble(link: 1))
        #expect(rig.drain() == ["dropped unknownSession(\(session.peerID))"])
        // The interaction model on the unsecured session.
        let clear = ProtocolHeader(isFromInitiator: true, isReliable: true, opcode: 8, exchange: 1, protocolID: 1)
        let header = MessageHeader(session: 0, counter: 9, source: 5)
        #expect(rig.receive(header.octets + clear.octets) == [] && rig.drain() == ["dropped unexpected"])
        // A message to an initiator, and one without source.
        for header in [
            MessageHeader(session: 0, counter: 9, destination: .node(1)), MessageHeader(session: 0, counter: 1),
        ] {
            #expect(rig.receive(header.octets + clear.octets) == [] && rig.drain() == ["dropped unexpected"])
        }
    }

    /// Sixteen CASE sessions. The least recently used one of a fabric with more than three gives way.
    @Test func eviction() throws {
        let rig = ChannelRig()
        let fabrics = try [TestFabric(1, key: 7), TestFabric(2, key: 8)]
        let identities = try fabrics.enumerated().map { try $1.identity(index: FabricIndex(rawValue: UInt8($0 + 1))) }
        rig.channel.setFabrics(identities, effects: &rig.effects)
        var sessions: [TestSession] = []
        func establish(_ number: UInt8, _ fabric: Int) throws {
            let initiator = try CASEInitiator(
                TestInitiator(node: UInt64(number)), fabric: fabrics[fabric], sessionID: UInt16(number) + 1,
                random: number)
            sessions.append(try initiator.establish(with: rig, to: identities[fabric], from: .host(number)))
            rig.advance(by: 10)
        }
        for number in 0..<3 as Range<UInt8> { try establish(number, 1) }
        for number in 3..<16 as Range<UInt8> { try establish(number, 0) }
        _ = rig.drain()
        // Session 3, the oldest of the larger fabric, is used.
        rig.receive(try sessions[3].message(2, exchange: 1))
        _ = rig.drain()
        let count = rig.effects.count
        try establish(16, 0)
        // The evicted peer is told: CloseSession, without acknowledgement (4.11.1.4).
        let closed = rig.effects[count...].compactMap { effect -> [UInt8]? in
            guard case .send(let octets, let peer) = effect, peer == .host(4) else { return nil }
            return octets
        }
        let report = try sessions[4].read(try #require(closed.first))
        #expect(report.report == .closeSession && !report.isReliable && closed.count == 1)
        #expect(rig.drain() == ["evicted by 1/112233", "ended", "established"])
        #expect(rig.channel.session(SessionID(rawValue: sessions[4].peerID)) == nil)
        // The other fabric holds three: a fourth takes a place of the larger one.
        try establish(17, 1)
        #expect(rig.channel.sessions(of: 1).count == 12 && rig.channel.sessions(of: 2).count == 4)
        #expect(rig.channel.session(SessionID(rawValue: sessions[5].peerID)) == nil)
    }

    /// A node with one session keeps it, however many another node of its fabric begins.
    @Test func evictionAmongNodes() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        func establish(_ number: UInt8, _ node: NodeID) throws {
            let initiator = try CASEInitiator(
                TestInitiator(node: UInt64(number)), fabric: fabric, node: node, random: number)
            _ = try initiator.establish(with: rig, to: identity, from: .host(number))
            rig.advance(by: 10)
        }
        try establish(0, 7)
        let modest = try #require(rig.established)
        for number in 1...40 as ClosedRange<UInt8> { try establish(number, 112_233) }
        #expect(rig.channel.session(modest) != nil && rig.channel.sessionIDs.count == SessionTable.caseLimit)
    }

    /// The end of a fabric ends its sessions, handshakes and resumption; others stay.
    @Test func fabricRemoved() throws {
        let rig = ChannelRig()
        let fabrics = try [TestFabric(1, key: 7), TestFabric(2, key: 8)]
        let identities = try fabrics.enumerated().map { try $1.identity(index: FabricIndex(rawValue: UInt8($0 + 1))) }
        rig.channel.setFabrics(identities, effects: &rig.effects)
        let gone = try CASEInitiator(TestInitiator(node: 1), fabric: fabrics[0], sessionID: 1, random: 1)
        let stays = try CASEInitiator(TestInitiator(node: 2), fabric: fabrics[1], sessionID: 2, random: 2)
        let half = try CASEInitiator(TestInitiator(node: 3), fabric: fabrics[0], sessionID: 3, random: 3)
        _ = try gone.establish(with: rig, to: identities[0])
        _ = try stays.establish(with: rig, to: identities[1])
        rig.receive(try half.sigma1(to: identities[0]))
        let resumption = try #require(gone.resumption)
        _ = rig.drain()
        rig.channel.setFabrics([identities[1]], effects: &rig.effects)
        #expect(rig.drain() == ["ended"] && rig.channel.handshakes.isEmpty && rig.channel.sessions(of: 2).count == 1)
        let again = try CASEInitiator(TestInitiator(node: 4), fabric: fabrics[0], random: 4)
        let refusal = try rig.answer(again.sigma1(to: identities[0], resuming: resumption))
        #expect(try again.messages.read(refusal).report == .noSharedTrustRoots)
    }

    /// A session that is kept for its last reply outlives its fabric; a new one is refused at once.
    @Test func fabricRemovedBeforeItsLastReply() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        let session = try CASEInitiator(fabric: fabric).establish(with: rig, to: identity)
        rig.receive(try session.message(2, [7], exchange: 1))
        let id = try #require(rig.established)
        rig.channel.setFabrics([], keeping: [id], effects: &rig.effects)
        #expect(try session.read(rig.reply([8])).payload == [8])
        let again = try CASEInitiator(TestInitiator(node: 4), fabric: fabric, random: 4)
        let refusal = try rig.answer(again.sigma1(to: identity))
        #expect(try again.messages.read(refusal).report == .noSharedTrustRoots)
    }

    /// A new certificate of the node: sessions stay, resumption does not.
    @Test func certificateUpdated() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        let initiator = try CASEInitiator(fabric: fabric)
        let session = try initiator.establish(with: rig, to: identity)
        let resumption = try #require(initiator.resumption)
        let updated = try fabric.identity(node: 0x1002, key: 0x22)
        _ = rig.drain()
        rig.channel.setFabrics([updated], effects: &rig.effects)
        #expect(rig.drain() == [] && rig.channel.sessionIDs.count == 1)
        rig.receive(try session.message(2, [7], exchange: 1))
        #expect(try session.read(rig.reply([8])).payload == [8])
        let again = try CASEInitiator(TestInitiator(node: 4), fabric: fabric, random: 4)
        let answer = try rig.answer(again.sigma1(to: updated, resuming: resumption))
        _ = try again.sigma3(after: answer, from: updated)
    }

    /// Records for resumption are bounded for each fabric, one for a peer.
    @Test func resumptionTable() {
        var table = ResumptionTable()
        func insert(_ number: UInt8, fabric: FabricIndex, node: NodeID) {
            table.insert(
                ResumptionRecord(
                    id: [UInt8](repeating: number, count: 16), secret: SessionSecret([1]), fabric: fabric, node: node,
                    tags: []))
        }
        func has(_ number: UInt8) -> Bool { table.record([UInt8](repeating: number, count: 16)) != nil }
        insert(200, fabric: 2, node: 1)
        for number in 0..<8 as Range<UInt8> { insert(number, fabric: 1, node: NodeID(rawValue: UInt64(number))) }
        #expect(has(0) && has(7))
        insert(8, fabric: 1, node: 8)
        #expect(!has(0) && has(1) && has(8) && has(200))
        insert(9, fabric: 1, node: 5)
        #expect(!has(5) && has(9) && has(1))
        table.remove(1)
        #expect(!has(9) && has(200))
    }

    /// Session parameters of the peer: unknown members are skipped, wide integers are read.
    @Test func sessionParameters() throws {
        let octets = octets(
            "15 2501 F401 2602 2C010000 2503 A00F 2404 13 2605 0C000000 2606 00020401 2408 01 2409 01 18")
        let parameters = try SessionParameters(TLVElement(octets))
        #expect(parameters.idleInterval == 500 && parameters.activeInterval == 300)
        #expect(parameters.activeThreshold == 4000 && parameters.dataModelRevision == 0x13)
        #expect(parameters.interactionModelRevision == 12 && parameters.specificationVersion == 0x0104_0200)
        var writer = TLVWriter()
        SessionParameters().write(into: &writer, as: 5)
        #expect(writer.octets == [])
        SessionParameters.release.write(into: &writer, as: 5)
        #expect(
            hex(writer.octets) == "3505" + "2501f401" + "25022c01" + "2503a00f" + "240412" + "24050c" + "260600000401"
                + "240701" + "18")
    }
}
