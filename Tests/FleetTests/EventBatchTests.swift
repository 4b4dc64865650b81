// SPDX-License-Identifier: Apache-2.0

import Fleet
import JSON
import Testing

/// Batches of events on the wire.
@Suite struct EventBatchTests {
    private static func batch(gap: ClosedRange<UInt64>? = nil, events: [String]? = nil) throws -> EventBatch {
        EventBatch(
            device: "7761307931597753", log: try #require(LogID([UInt8](0..<16))), first: 5, last: 6, gap: gap,
            chain: "ab", events: events ?? [#"{"sequence":5,"kind":"start"}"#, #"{"sequence":6,"kind":"granted"}"#])
    }

    @Test func messageIsOneObjectThatEndsWithItsSignature() throws {
        let text = EventBatch.text(try EventBatchTests.batch().body, signature: [0x30, 0xFF])
        #expect(
            text == #"{"reader":"7761307931597753","log":"000102030405060708090a0b0c0d0e0f","from":5,"to":6,"#
                + #""chain":"ab","events":[{"sequence":5,"kind":"start"},{"sequence":6,"kind":"granted"}],"#
                + #""signature":"30ff"}"#)
        let signed = try EventBatch.Signed(Array(text.utf8))
        #expect(signed.batch == (try EventBatchTests.batch()))
        #expect(signed.signature == [0x30, 0xFF])
        let body = text.dropLast(#","signature":"30ff"}"#.count)
        #expect(signed.signedOctets == Array("readerd-batch-v1\0".utf8) + Array(body.utf8))
        #expect(signed.signedOctets == EventBatch.signedOctets(try EventBatchTests.batch().body))
    }

    @Test func gapIsToldAndItsEventsAreMissing() throws {
        let batch = try EventBatchTests.batch(gap: 5...5, events: [#"{"sequence":6}"#])
        let text = EventBatch.text(batch.body, signature: [1])
        #expect(text.contains(#""gap":{"from":5,"to":5}"#))
        #expect(try EventBatch.Signed(Array(text.utf8)).batch.gap == 5...5)
        let all = try EventBatchTests.batch(gap: 5...6, events: [])
        #expect(try EventBatch.Signed(Array(EventBatch.text(all.body, signature: [1]).utf8)).batch.events.isEmpty)
    }

    /// A batch that does not cover exactly its range is refused, and one whose signature leaves octets unsigned.
    @Test(arguments: [
        (#""from":5"#, #""from":4"#), (#""to":6"#, #""to":7"#), (#""to":6"#, #""to":4"#),
        (#""sequence":6"#, #""sequence":7"#), (#""sequence":6"#, #""sequence":"6""#),
        (#""log":"00"#, #""log":""#), (#""reader":"77"#, #""reader":"+/"#),
        (#""signature":"30ff"}"#, #""signature":"30FF"}"#), (#""signature":"30ff"}"#, #""signature":"30ff" }"#),
        (#""signature":"30ff"}"#, #""signature":"30ff","more":1}"#),
        (#""from":5"#, #""gap":{"from":5,"to":7},"from":5"#), (#""from":5"#, #""gap":{"from":4,"to":5},"from":5"#),
        (#""from":5,"#, #""from":0,"#),
    ]) func refused(was: String, becomes: String) throws {
        let text = EventBatch.text(try EventBatchTests.batch().body, signature: [0x30, 0xFF])
        #expect(text.contains(was))
        let broken = text.replacing(was, with: becomes)
        #expect(throws: JSONPlaceFault.self) { try EventBatch.Signed(Array(broken.utf8)) }
    }

    @Test func moreEventsThanALimitAreRefused() throws {
        var batch = try EventBatchTests.batch(events: (5..<56).map { #"{"sequence":\#($0)}"# })
        batch.last = 55
        #expect(throws: JSONPlaceFault.self) {
            try EventBatch.Signed(Array(EventBatch.text(batch.body, signature: [1]).utf8))
        }
    }
}
