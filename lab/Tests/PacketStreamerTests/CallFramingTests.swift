// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketStreamer

/// "gRPC over HTTP2", Length-Prefixed-Message.
@Suite struct CallFramingTests {
    private static let messages: [[UInt8]] = [[0x0A], [], [1, 2, 3]]
    private static let octets: [UInt8] = [0, 0, 0, 0, 1, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]

    private func delivered(_ parts: [[UInt8]]) throws(CallStatus) -> (messages: [[UInt8]], isBetween: Bool) {
        var framing = CallFraming()
        var messages: [[UInt8]] = []
        for part in parts {
            try framing.receive(part.span) { messages.append($0.withUnsafeBufferPointer(Array.init)) }
        }
        return (messages, framing.isBetweenMessages)
    }

    @Test func framesHaveArbitraryBoundaries() throws {
        let whole = try delivered([CallFramingTests.octets])
        #expect(whole.messages == CallFramingTests.messages && whole.isBetween)
        let single = try delivered(CallFramingTests.octets.map { [$0] })
        #expect(single.messages == CallFramingTests.messages && single.isBetween)
        for cut in 0...CallFramingTests.octets.count {
            let octets = CallFramingTests.octets
            let two = try delivered([Array(octets[..<cut]), Array(octets[cut...])])
            #expect(two.messages == CallFramingTests.messages)
            let first = try delivered([Array(octets[..<cut])])
            #expect(first.isBetween == [0, 6, 11, 19].contains(cut))
        }
    }

    @Test func aCompressedMessageIsRefused() {
        #expect(throws: CallStatus(.unimplemented, "a message is compressed; send it without grpc-encoding")) {
            try delivered([[1, 0, 0, 0, 1]])
        }
    }

    @Test func aLongMessageIsRefusedByItsPrefix() throws {
        let longest = try delivered([[0, 0, 0, 0x20, 0], [UInt8](repeating: 7, count: 8192)])
        #expect(longest.messages.map(\.count) == [CallFraming.maximumMessageCount])
        #expect(throws: CallStatus(.resourceExhausted, "a message has 8193 octets; 8192 are the most")) {
            try delivered([[0, 0, 0, 0x20, 1]])
        }
        #expect(throws: CallStatus(.resourceExhausted, "a message has 4294967295 octets; 8192 are the most")) {
            try delivered([[0, 0xFF, 0xFF, 0xFF, 0xFF]])
        }
    }

    @Test func aReasonIsPercentEncoded() {
        #expect(CallStatus(.invalidArgument, "50 % of Größe\n").message == "50 %25 of Gr%C3%B6%C3%9Fe%0A")
    }

    @Test func onlyTheMethodIsAccepted() {
        func answer(_ method: String?, _ path: String?, _ type: String?) -> CallRequest.Answer {
            CallRequest.answer(method: method, path: path, contentType: type)
        }
        let path = "/netsim.packet.PacketStreamer/StreamPackets"
        for type in ["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8"] {
            #expect(answer("POST", path, type) == .accepted)
        }
        for type in [nil, "text/html", "application/grpc-web"] { #expect(answer("POST", path, type) == .http(415)) }
        #expect(answer("GET", path, "application/grpc") == .http(405))
        for path in [nil, "/", "/netsim.frontend.FrontendService/GetVersion"] {
            let reason = "there is /netsim.packet.PacketStreamer/StreamPackets alone"
            #expect(answer("POST", path, "application/grpc") == .ended(CallStatus(.unimplemented, reason)))
        }
    }
}
