// SPDX-License-Identifier: Apache-2.0

import Fleet
import JSON
import Testing

/// The messages between the reader and the process of its link.
@Suite struct LinkMessageTests {
    @Test func reports() throws {
        let log = try #require(LogID([UInt8](0..<16)))
        let reader = LinkReader(
            firmware: "0.1.0", device: "7761307931597753", name: "Front \"door\"", log: log, newest: 7)
        let batch = EventBatch(
            device: "7761307931597753", log: log, first: 1, last: 1, gap: nil, chain: "", events: [#"{"sequence":1}"#])
        let text = EventBatch.text(batch.body, signature: [7])
        let reports: [(LinkReport, String)] = [
            (
                .reader(reader),
                #"{"reader":{"version":4,"firmware":"0.1.0","device":"7761307931597753","name":"Front \"door\"","#
                    + #""log":"000102030405060708090a0b0c0d0e0f","newest":7}}"#
            ),
            (.state(#"{"open":true}"#), #"{"state":{"open":true}}"#), (.newest(7), #"{"newest":7}"#),
            (.batch(text, covers: 1...1, hasGap: false), #"{"batch":\#(text)}"#),
            (.occasion(#"{"kind":"fire"}"#, kind: "fire"), #"{"event":{"kind":"fire"}}"#),
            (.fetch(.manifest), #"{"fetch":"manifest"}"#), (.fetch(.chunks), #"{"fetch":"chunks"}"#),
            (.answer(#"{"a":1}"#, number: 3), #"{"answer":{"number":3,"message":"{\"a\":1}"}}"#),
        ]
        for (report, line) in reports {
            #expect(report.line == line)
            #expect(try LinkReport(line: Array(line.utf8)) == report)
        }
    }

    @Test func requests() throws {
        let status = LinkStatus(isConnected: true, delivered: 9, faults: [.lost: "a", .gap: "b"])
        let requests: [(LinkRequest, String)] = [
            (.read(from: 12, octets: 4000), #"{"read":12,"octets":4000}"#),
            (.status(status), #"{"status":{"connected":true,"delivered":9,"faults":{"gap":"b","lost":"a"}}}"#),
            (.order([0x82, 0xFF], isRetained: true, number: 4), #"{"order":"82ff","retained":true,"number":4}"#),
            (.chunk([0xA0, 0xFF], index: 47), #"{"chunk":"a0ff","index":47}"#),
            (.status(LinkStatus()), #"{"status":{"connected":false,"delivered":null,"faults":{}}}"#),
        ]
        for (request, line) in requests {
            #expect(request.line == line)
            #expect(try LinkRequest(line: Array(line.utf8)) == request)
        }
    }

    /// The reader takes no longer text, and disconnects a process that sends one: a long host name must not do so.
    @Test func textsOfFaultsAreCut() throws {
        let status = LinkStatus(faults: [.lost: String(repeating: "é", count: 200)])
        guard case .status(let read) = try LinkRequest(line: Array(LinkRequest.status(status).line.utf8)) else {
            throw JSONPlaceFault(line: 1, path: "", "no status")
        }
        #expect(read.faults == [.lost: String(repeating: "é", count: 128)])
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"newest":-1}"#, #"{"newest":1,"state":{}}"#, #"{"event":{}}"#, #"{"batch":{}}"#,
        #"{"reader":{}}"#, #"{"unlock":"pulse"}"#, #"{"fetch":"all"}"#, #"{"fetch":1}"#,
    ]) func refusedReports(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LinkReport(line: Array(line.utf8)) }
    }

    /// There is no order among them that is not signed.
    @Test(arguments: [
        "", "{}", #"{"read":"1"}"#, #"{"read":1}"#, #"{"read":1,"octets":3935}"#, #"{"read":1,"octets":16385}"#,
        #"{"read":1,"octets":4000,"status":{}}"#, #"{"unlock":"pulse"}"#, #"{"status":{"connected":1}}"#,
        #"{"status":{"connected":true,"delivered":null,"faults":{"made-up":""}}}"#, #"{"order":"82"}"#,
        #"{"order":"8","retained":false,"number":1}"#, #"{"order":"82","retained":0,"number":1}"#,
        #"{"order":"82","retained":false,"number":1,"read":1}"#, #"{"chunk":"a0","index":48}"#,
        #"{"chunk":"a0","index":-1}"#, #"{"chunk":"a0"}"#, #"{"chunk":"a0","index":1,"order":"82"}"#,
        #"{"chunk":"\#(String(repeating: "00", count: 1537))","index":1}"#,
        #"{"order":"\#(String(repeating: "00", count: 2049))","retained":false,"number":1}"#,
    ]) func refusedRequests(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LinkRequest(line: Array(line.utf8)) }
    }

    @Test func topics() {
        let topics = FleetTopics(deviceID: "a/+#.xyz")
        #expect(topics.events == "acc/v1/612f2b232e78797a/up/ev")
        #expect(FleetTopics.device(of: topics.state) == "612f2b232e78797a")
        for topic in [
            "acc/v1/XY61307931597753/up/ev", "acc/v2/7761307931597753/up/ev", "acc/v1/7761307931597753/up",
            "acc/v1//up/ev", "acc/v1/7761307931597753/up/ev/x",
        ] {
            #expect(FleetTopics.device(of: topic) == nil)
        }
        #expect(topics.desiredChunk(7) == "acc/v1/612f2b232e78797a/down/desired/7")
        #expect(topics.desiredChunks == "acc/v1/612f2b232e78797a/down/desired/+")
        // An identifier has 16 digits, no more and no less.
        for device in [
            "77613079315977", "776130793159775", "77613079315977530", "7761307931597753ff", "776130793159775F",
        ] {
            #expect(!FleetTopics.isDevice(device))
        }
    }
}
