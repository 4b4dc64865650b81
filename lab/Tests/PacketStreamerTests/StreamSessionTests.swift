// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketStreamer

@Suite struct StreamSessionTests {
    private static let bluetooth: [UInt8] = [0x0A, 0x04, 0x12, 0x02, 0x08, 0x01]
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    private static let chip = ChipInfo(kind: .bluetooth, name: "")

    /// A message with its prefix.
    private static func framed(_ message: [UInt8]) -> [UInt8] { CallFraming.prefix(message.count) + message }

    /// A request with a packet in H4's form.
    private static func hci(_ packet: [UInt8]) -> [UInt8] {
        let octets = UInt8(packet.count - 1)
        return framed([0x12, octets + 4, 0x08, packet[0], 0x12, octets] + packet.dropFirst())
    }

    /// A session whose chip has a place and was reset.
    private static func opened() -> StreamSession {
        var session = StreamSession()
        _ = session.receive(framed(bluetooth).span)
        _ = session.receive(hci(reset).span)
        return session
    }

    private func receive(_ octets: [UInt8], _ session: inout StreamSession) -> [StreamSession.Effect] {
        session.receive(octets.span)
    }

    /// Octets of the place.
    private func receivePlace(_ octets: [UInt8], _ session: inout StreamSession) -> [StreamSession.Effect] {
        session.receiveFromPlace(octets.span)
    }

    @Test func aBluetoothChipOccupiesAPlace() {
        var session = StreamSession()
        #expect(session.isWithoutChip)
        let octets =
            StreamSessionTests.framed(StreamSessionTests.bluetooth) + StreamSessionTests.hci([0x01, 0x03, 0x0C, 0])
        #expect(
            receive(octets, &session) == [.occupyPlace(StreamSessionTests.chip), .toPlace([0x01, 0x03, 0x0C, 0x00])])
        #expect(!session.isWithoutChip)
        let answer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
        #expect(receivePlace(answer, &session) == [.send(StreamResponse.hci(answer).framed)])
        // Boundaries of reads are arbitrary, and several packets come at once.
        #expect(receivePlace(Array(answer[..<3]), &session) == [])
        #expect(receivePlace(Array(answer[3...]) + answer, &session).count == 2)
    }

    /// A call without Reset is a host from before a snapshot.
    @Test func commandsBeforeResetAreAnsweredWithHardwareError() {
        var session = StreamSession()
        _ = receive(StreamSessionTests.framed(StreamSessionTests.bluetooth), &session)
        let event = StreamSession.Effect.send(StreamResponse.hci([0x04, 0x10, 0x01, 0x42]).framed)
        #expect(receive(StreamSessionTests.hci([0x01, 0x09, 0x10, 0x00]), &session) == [event])
        #expect(receive(StreamSessionTests.hci([0x02, 0x01, 0x00, 0x01, 0x00, 0xAA]), &session) == [])
        #expect(receive(StreamSessionTests.hci([0x01, 0x09, 0x10, 0x00]), &session) == [event])
        #expect(
            receive(StreamSessionTests.hci(StreamSessionTests.reset), &session) == [.toPlace(StreamSessionTests.reset)])
        #expect(
            receive(StreamSessionTests.hci([0x01, 0x09, 0x10, 0x00]), &session) == [.toPlace([0x01, 0x09, 0x10, 0x00])])
    }

    @Test(arguments: [2, 3, 4, 9] as [UInt8]) func otherChipsStayOpenAndReceiveNothing(_ kind: UInt8) {
        var session = StreamSession()
        let chip = ChipInfo(kind: ChipInfo.Kind(rawValue: UInt64(kind)), name: "")
        #expect(
            receive(StreamSessionTests.framed([0x0A, 0x04, 0x12, 0x02, 0x08, kind]), &session) == [.keepSilent(chip)])
        #expect(receive(StreamSessionTests.framed([0x1A, 0x02, 0x20, 0x00]), &session) == [])
        #expect(receive(StreamSessionTests.hci(StreamSessionTests.reset), &session) == [])
        #expect(receivePlace([0x04, 0x10, 0x01, 0x42], &session) == [])
        #expect(session.finish() == [.end(.ok)])
    }

    @Test func aChipWithoutAPlaceIsRefusedWithAMessage() {
        var session = StreamSession()
        _ = receive(StreamSessionTests.framed(StreamSessionTests.bluetooth), &session)
        #expect(
            session.refusePlace("no place") == [
                .send(StreamResponse.error("no place").framed), .end(CallStatus(.resourceExhausted, "no place")),
            ])
        #expect(receive(StreamSessionTests.hci(StreamSessionTests.reset), &session) == [])
        #expect(session.refusePlace("no place") == [] && session.finish() == [] && session.close(.ok) == [])
    }

    @Test func junkEndsTheCall() {
        func end(_ messages: [[UInt8]]) -> CallStatus? {
            var session = StreamSession()
            var effects: [StreamSession.Effect] = []
            for message in messages { effects += receive(message, &session) }
            guard case .end(let status) = effects.last else { return nil }
            // Nothing after the end.
            #expect(receive(StreamSessionTests.framed(StreamSessionTests.bluetooth), &session) == [])
            return status
        }
        func invalid(_ reason: String) -> CallStatus { CallStatus(.invalidArgument, reason) }
        let bluetooth = StreamSessionTests.framed(StreamSessionTests.bluetooth)
        #expect(end([StreamSessionTests.hci(StreamSessionTests.reset)]) == invalid("a packet before initial_info"))
        #expect(end([StreamSessionTests.framed([])]) == invalid("a packet before initial_info"))
        #expect(end([StreamSessionTests.framed([0x0A, 0x00])]) == invalid("initial_info has no kind of chip"))
        #expect(end([bluetooth, bluetooth]) == invalid("a second initial_info; open a stream for each chip"))
        #expect(
            end([StreamSessionTests.framed([0x0A])])
                == invalid("a message is not a PacketRequest: it ends inside the element at octet 1"))
        #expect(end([[1, 0, 0, 0, 0]])?.code == .unimplemented)
        #expect(end([[0, 0x7F, 0, 0, 0]])?.code == .resourceExhausted)
        // Packets: of no type, of a controller, longer and shorter than they say, two in one.
        for packet in [
            [0x00], [0x07, 0x00], [0x04, 0x10, 0x01, 0x42], [0x01, 0x03, 0x0C, 0x00, 0x00], [0x01, 0x03, 0x0C, 0x01],
            [0x01, 0x03, 0x0C, 0x00, 0x01, 0x03, 0x0C, 0x00], [0x01],
        ] as [[UInt8]] {
            #expect(end([bluetooth, StreamSessionTests.hci(packet)])?.code == .invalidArgument, "\(packet)")
        }
    }

    @Test func theClientsEndIsTheCallsEnd() {
        var session = StreamSessionTests.opened()
        #expect(session.finish() == [.end(.ok)])
        #expect(receivePlace([0x04, 0x10, 0x01, 0x42], &session) == [])
        session = StreamSessionTests.opened()
        _ = receive([0, 0], &session)
        #expect(session.finish() == [.end(CallStatus(.invalidArgument, "the stream ends inside a message"))])
    }

    @Test func aPlaceThatSendsNoHCIEndsTheCall() {
        var session = StreamSessionTests.opened()
        guard case .end(let status) = receivePlace([0x99], &session).last else {
            Issue.record("no end")
            return
        }
        #expect(status.code == .unavailable)
    }
}
