// SPDX-License-Identifier: Apache-2.0

import Fleet
import JSON
import Testing

@Suite struct RemoteAnswerTests {
    private static let id = [UInt8](repeating: 0x0A, count: 16)
    private static let done = RemoteAnswer(
        device: "7761307931597753", id: id, command: "pulse", .done, sequence: 12, counter: 7)

    @Test func theMessage() throws {
        let text = RemoteAnswer.text(Self.done.body, signature: [0x30, 0x01])
        #expect(
            text == #"{"reader":"7761307931597753","id":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","command":"pulse","#
                + #""result":"done","sequence":12,"counter":7,"signature":"3001"}"#)
        let signed = try RemoteAnswer.Signed(Array(text.utf8))
        #expect(signed.answer == Self.done && signed.signature == [0x30, 0x01])
        #expect(signed.signedOctets == RemoteAnswer.signedOctets(Self.done.body))
        #expect(signed.signedOctets.starts(with: Array("readerd-answer-v1\0{".utf8)))
    }

    @Test(arguments: RemoteAnswer.Reason.allCases) func refusals(reason: RemoteAnswer.Reason) throws {
        let refused = RemoteAnswer(device: "7761307931597753", id: nil, command: nil, .refused, reason)
        let text = RemoteAnswer.text(refused.body, signature: [7])
        #expect(
            text == #"{"reader":"7761307931597753","result":"refused","reason":"\#(reason.rawValue)","signature":"07"}"#
        )
        #expect(try RemoteAnswer.Signed(Array(text.utf8)).answer == refused)
    }

    /// The signature is the last member, and over the octets as they were sent.
    @Test(arguments: [
        #"{"reader":"77","result":"done"}"#, #"{"reader":"77","signature":"07","result":"done"}"#,
        #"{"reader":"77","result":"done","signature":"07" }"#, #"{"reader":"X","result":"done","signature":"07"}"#,
        #"{"reader":"77","result":"opened","signature":"07"}"#, #"{"reader":"77","result":"refused","signature":"07"}"#,
        #"{"reader":"77","result":"done","reason":"key","signature":"07"}"#,
        #"{"reader":"77","result":"refused","reason":"why","signature":"07"}"#, #"{"signature":"07"}"#,
    ]) func refusedMessages(text: String) {
        #expect(throws: JSONPlaceFault.self) { try RemoteAnswer.Signed(Array(text.utf8)) }
    }
}
