// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import OSDPTools

/// The capture format of libosdp-conformance and OSDP.Net.
@Suite struct OSDPCaptureTests {
    private static let poll: [UInt8] = octets("FF 53 00 08 00 04 60 EB AA")

    private func read(_ text: String) throws -> [OSDPCapture.Record] {
        var (capture, records) = (OSDPCapture(), [OSDPCapture.Record]())
        for octet in text.utf8 { try capture.receive([octet]) { records.append($0) } }
        try capture.finish { records.append($0) }
        return records
    }

    private func fault(_ text: String) throws -> OSDPCapture.Fault? {
        do {
            _ = try read(text)
            return nil
        } catch let fault as OSDPCapture.Fault { return fault }
    }

    /// A line of a published capture, and those of the programs that write the format.
    @Test(arguments: [
        #"{ "timeSec" : "1", "timeNano" : "5", "io" : "in", "data" : " ff 53 00 08 00 04 60 eb aa", "osdpTraceVersion":"1", "osdpSource":"libosdp-conformance 1.33-2" }"#,
        #"{"timeSec":"1","timeNano":"000000005","io":"output","data":"FF-53-00-08-00-04-60-EB-AA","osdpTraceVersion":"1","osdpSource":"OSDP.Net"}"#,
        #"{"timeSec":1,"timeNano":5,"data":"FF53000800 0460:EBAA"}"#,
    ]) func records(_ line: String) throws {
        let record = OSDPCapture.Record(octets: OSDPCaptureTests.poll, time: Instant(nanoseconds: 1_000_000_005))
        #expect(try read(line) == [record])
        #expect(try read("\u{FEFF}\r\n" + line + "\r\n\n  \n" + line + "\n") == [record, record])
        #expect(OSDPCapture.begins(line.utf8) && OSDPCapture.begins(("\u{FEFF} \n" + line).utf8))
    }

    @Test func octetsOfALineAreNoCapture() {
        #expect(!OSDPCapture.begins(OSDPCaptureTests.poll) && !OSDPCapture.begins([]))
        #expect(!OSDPCapture.begins("[{}]".utf8) && !OSDPCapture.begins("\n \n".utf8))
    }

    @Test func withoutATime() throws {
        #expect(try read(#"{"data":""}"#) == [OSDPCapture.Record(octets: [], time: nil)])
        #expect(try read("").isEmpty)
    }

    @Test(arguments: [
        #"{"data":"5"}"#, #"{"data":"53 0"}"#, #"{"data":"xx"}"#, #"{"data":["53"]}"#, #"{"io":"in"}"#, "[]", "{", "53",
        #"{"data":"53","timeSec":"-1"}"#, #"{"data":"53","timeSec":"1","timeNano":"1000000000"}"#,
        #"{"data":"53","timeSec":"9223372036854775807"}"#, #"{"data":"53","timeSec":null}"#,
        #"{"data":"53","osdpTraceVersion":"2"}"#, #"{"data":"53","data":"53"}"#,
    ]) func whatIsNoRecordNamesItsLine(_ line: String) throws {
        #expect(try fault("\n" + #"{"data":"53"}"# + "\n" + line + "\n")?.line == 3)
    }

    @Test func aLineHasALimit() throws {
        let long = #"{"data":""# + String(repeating: "5", count: OSDPCapture.lineLimit)
        #expect(try fault(long)?.problem == "the line is too long")
    }
}
