// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A transport beside BLE and NFC: messages in a stream of octets, each behind its length in two octets.
private struct StreamTransport {
    static let times = LinkTimes(idle: .seconds(3), longest: .seconds(60))

    let link = AccessLink(id: PhoneID(.control, number: 1), times: StreamTransport.times, at: .origin)
    private var received: [UInt8] = []
    /// The octets sent to the phone.
    var sent: [UInt8] = []

    mutating func receive(
        _ octets: [UInt8], _ reader: inout AccessReader, random: inout SplitMix64, at moment: Moment
    ) {
        received += octets
        while received.count >= 2 {
            let end = 2 + Int(received[0]) << 8 + Int(received[1])
            guard received.count >= end else { return }
            let message = Array(received[2..<end])
            received.removeFirst(end)
            do throws(StatusCode) {
                let header = try MessageHeader(checking: message.span)
                let payload = message.span.extracting(droppingFirst: MessageHeader.octetCount)
                reader.receive(header.status, payload, from: link, random: &random, at: moment)
            } catch {
                reader.reject(error, from: link)
            }
            send(&reader, at: moment.instant)
        }
    }

    mutating func send(_ reader: inout AccessReader, at now: Instant) {
        while let link = reader.nextAnswer(of: .control) {
            sent += StreamTransport.behindLength(link.session.answer)
            link.session.answerTaken()
            _ = link.answerLeft(StreamTransport.times, at: now)
        }
    }

    static func behindLength(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }
}

/// The entrance and the exit that all transports share, without GATT and without APDUs.
@Suite struct StreamTransportTests {
    private struct Bench: ~Copyable {
        var reader: AccessReader
        var stream = StreamTransport()
        var port = FakePort()
        var random = SplitMix64(seed: 7)
        /// 2026-05-04 12:00:00 UTC, within the validity of `RawToken`.
        let moment = Moment(instant: .origin + .milliseconds(10), epochSeconds: 1_777_896_000)

        init() throws {
            var configuration = AccessConfiguration(modes: [])
            configuration.isAudited = true
            reader = AccessReader(
                configuration: configuration, identity: try .demo(), table: try .demo(configuration),
                door: DoorConfiguration())
            reader.startDoor(at: .origin)
            reader.effects = []
        }

        /// The octets that the reader sends in answer to these.
        mutating func exchange(_ octets: [UInt8]) -> [UInt8] {
            stream.receive(octets, &reader, random: &random, at: moment)
            return Swift.exchange(&stream.sent, with: [])
        }

        /// Shakes hands, and asks to be let in.
        mutating func ask() throws -> Envelope {
            let reply = exchange(StreamTransport.behindLength(SessionOctets.handshake))
            let salt = SessionOctets.transponderSalt
            // In front of the salt: length, header, length of the payload, tag and length of the field.
            guard let transponder = SessionSalt(salt.span),
                let terminal = SessionSalt(reply.span.extracting(11..<27))
            else { throw StatusCode.test }
            let (phone, point) = (try DemoKeys.signature(), reader.identity.terminalKey.publicPoint)
            let envelope = try Envelope(
                ownKey: phone, peerPoint: point.octets.span,
                salts: EnvelopeSalts(transponder: transponder, terminal: terminal))
            var (token, wire) = (try RawToken().encoded(), [UInt8]())
            try envelope.seal(.request, sender: phone.publicPoint, plaintext: &token, into: &wire)
            let answer = exchange(StreamTransport.behindLength(Array(try message(wire).joined())))
            #expect(answer.isEmpty, "the opening waits for its record")
            return envelope
        }
    }

    @Test func aWholeSessionOpensTheDoor() throws {
        var bench = try Bench()
        let envelope = try bench.ask()
        let request = try #require(bench.reader.openRequests.first)
        #expect(request.event.channel == .control && request.event.link == 1)
        #expect(request.event.kind == .granted && request.event.credential == "CRED000001")
        bench.reader.decideOpening(request.token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        bench.stream.send(&bench.reader, at: bench.moment.instant)
        let answer = bench.stream.sent
        #expect(Array(answer[..<2]) == [0x00, 0x77], "header, sender, one block and MAC")
        let header = try MessageHeader(checking: answer.span.extracting(droppingFirst: 2))
        #expect(header.status == .ok)
        var result: [UInt8] = []
        let point = bench.reader.identity.terminalKey.publicPoint
        try envelope.open(response: answer.span.extracting(droppingFirst: 8), terminalPoint: point, into: &result)
        #expect(result == [2, 0x0A, 0] + [UInt8](repeating: 0, count: 13), "a result without data, and padding")
        let executed = ReaderNotice.executed(
            PhoneID(.control, number: 1), credential: "CRED000001", command: "tokn", .ok)
        #expect(bench.reader.effects.contains(.notice(executed)))
        #expect("\(PhoneID(.control, number: 1))" == "control 1")
        // The deadline has started again, and neither radio nor card was used.
        #expect(bench.stream.link.state.nextDeadline == bench.moment.instant + .seconds(3))
        #expect(bench.port.requests.isEmpty && bench.port.notified.isEmpty)
        #expect(bench.reader.contactlessResponse.isEmpty)
    }

    @Test func octetByOctet() throws {
        var bench = try Bench()
        let octets = StreamTransport.behindLength(SessionOctets.handshake)
        for octet in octets.dropLast() {
            let answer = bench.exchange([octet])
            #expect(answer.isEmpty)
        }
        let reply = bench.exchange(Array(octets.suffix(1)))
        #expect(reply.count > 2 + 6 + 16)
    }

    /// Too short for a header (−4), a wrong checksum or length (−9), a payload of 2049 octets (−7): silence, and the
    /// next handshake is answered.
    @Test func octetsThatAreNoMessage() throws {
        var bench = try Bench()
        var broken = SessionOctets.handshake
        broken[10] ^= 1
        let long = octets("0801 0000 0000") + [UInt8](repeating: 0, count: 2049)
        for (wrong, code) in [
            ([1, 2, 3, 4, 5], StatusCode.invalidState), (broken, .crc), (SessionOctets.handshake + [0], .crc),
            (SessionOctets.handshake.dropLast(), .crc), (long, .overflow),
        ] {
            let answer = bench.exchange(StreamTransport.behindLength(Array(wrong)))
            #expect(answer.isEmpty)
            let told = bench.reader.nextNotice()
            #expect(told == .messageRefused(PhoneID(.control, number: 1), code, told: false))
            let reply = bench.exchange(StreamTransport.behindLength(SessionOctets.handshake))
            #expect(!reply.isEmpty)
        }
    }

    @Test func aPhoneThatHasLeftIsLetInAndNotAnswered() throws {
        var bench = try Bench()
        _ = try bench.ask()
        let request = try #require(bench.reader.openRequests.first)
        bench.stream.link.end()
        bench.reader.decideOpening(request.token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        bench.stream.send(&bench.reader, at: bench.moment.instant)
        #expect(bench.stream.sent.isEmpty)
    }

    @Test func aLinkWithoutACompletedExchangeHasAReasonToClose() throws {
        var bench = try Bench()
        _ = bench.exchange(StreamTransport.behindLength(SessionOctets.handshake))
        let early = bench.stream.link.state.advance(to: .origin + .milliseconds(2999))
        #expect(early == .wait)
        let late = bench.stream.link.state.advance(to: .origin + .seconds(3))
        #expect(late == .refuse(.idle))
    }
}
