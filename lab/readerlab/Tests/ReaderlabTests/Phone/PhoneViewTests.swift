// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import CBOR
import JSON
import Peripheral
import Protobuf
import Testing
import Timekeeping

@testable import Phone
@testable import PhoneTool
@testable import readerlab

/// The output of a phone.
@Suite struct PhoneViewTests {
    private static let sighting = ReaderSighting(
        address: .randomStatic(from: 0x11), mode: .onTouch, name: "wa0y1YwS", isFactory: true, rssi: -48)

    private static func step(_ step: VisitStep, at: Int, took: Int) -> VisitNotice {
        .step(step, sinceStart: .milliseconds(at), took: .milliseconds(took))
    }

    private static let opening: [VisitNotice] = [
        .began(number: 1), step(.found(sighting), at: 212, took: 212),
        step(.connected(sighting.address, interval: .milliseconds(30)), at: 543, took: 31),
        step(.mtu(517), at: 590, took: 47), step(.services, at: 690, took: 100), step(.handshake, at: 742, took: 52),
        step(.token(.open), at: 743, took: 1), step(.answer(.open, .done), at: 790, took: 47),
        .ended(nil, sinceStart: .milliseconds(812)), .finished,
    ]

    private static func lines(_ view: PhoneVisitView, _ notices: [VisitNotice] = opening) -> [String] {
        var view = view
        return notices.flatMap { view.lines($0, .token) }
    }

    @Test func anOpeningInSteps() {
        #expect(
            Self.lines(PhoneVisitView(json: false)) == [
                "    212 ms  found       +212 ms  wa0y1YwS, on-touch, C0:00:00:00:00:11, -48 dBm, demo keys",
                "    543 ms  connected    +31 ms  interval 30 ms",
                "    590 ms  mtu          +47 ms  517 octets",
                "    690 ms  services    +100 ms  subscribed",
                "    742 ms  handshake    +52 ms  the reader has proven its key",
                "    743 ms  token         +1 ms  sent: tokn",
                "    790 ms  answer       +47 ms  opened",
                "    812 ms  disconnected",
            ])
        #expect(Self.lines(PhoneVisitView(json: false, isQuiet: true)) == [])
    }

    @Test func severalVisitsAreALineEachAndATable() {
        let lines = Self.lines(PhoneVisitView(json: false, hasTable: true), Self.opening)
        #expect(lines.prefix(2) == ["visit 1: done in 812 ms", "1 done, 0 failed"])
        #expect(lines.dropFirst(2).first == "ms           n    min    p50          p90          p99    max")
        #expect(lines.last == "whole visit  1  812.0  812.0  n too small  n too small  812.0")
    }

    @Test func everyLineOfJSONIsAnObject() throws {
        let failure = VisitFailure(
            .session(PhoneFailure(.peerStatus, terminal: .signature)), at: .token, request: .open)
        let lines = Self.lines(
            PhoneVisitView(json: true, hasTable: true),
            Self.opening.dropLast() + [.began(number: 2), .ended(failure, sinceStart: .milliseconds(5)), .finished])
        for line in lines { _ = try JSONParser.parse(Array(line.utf8)) }
        #expect(lines.first?.contains(#""event":"found","visit":1,"at-ms":212.000,"took-ms":212.000"#) == true)
        #expect(lines.contains { $0.contains(#""event":"failed","visit":2"#) && $0.contains(#""status":-12"#) })
        #expect(lines.last?.contains(#""event":"times","done":1,"failed":1"#) == true)
    }

    /// Text of a reader goes to a terminal.
    @Test func textOfAReaderCannotCommandATerminal() throws {
        let event = Event(
            sequenceId: 7, eventTime: LocalTimestamp(CivilTime(year: 2026, month: 11, day: 22, hour: 8)),
            eventId: .accessGranted, eventInfo: 2, credentialId: CredentialId(id: try .init(ascii: "A\u{1B}[2J")),
            command: try .init(ascii: "tokn"))
        #expect(
            AnswerText.table([event]) == [
                "number  time                 event    credential  command",
                "     7  2026-11-22 08:00:00  granted  A?[2J       tokn",
            ])
        #expect(AnswerText.lines(.map(.map([.text("a"): .text("\u{1B}]0;x\u{7}")]))).first?.contains("?]0;x?") == true)
    }

    @Test(arguments: [
        (EventId.system, Int32(1), "restart"), (.system, 1033, "clock-set"), (.system, 1977, "kind-977"),
        (.terminalCommand, 0, "command"),
        (.terminalCommand, -12, "command, status -12 (invalid signature)"), (.accessDenied, 131, "denied, validity"),
        (EventId(rawValue: 99), 3, "event 99, 3"), (.terminalOss, .max, "credential, 2147483647"),
    ])
    func eventsInWords(id: EventId, information: Int32, words: String) {
        let time = LocalTimestamp(CivilTime(year: 2026, month: 1, day: 1))
        #expect(AnswerText.what(Event(sequenceId: 1, eventTime: time, eventId: id, eventInfo: information)) == words)
    }

    @Test func aStripFollowsTheSignal() {
        #expect([-120, -100, -92, -60, -30, 4].map { ScanView.block(Int8($0)) }.joined() == "▁▁▁▅██")
        #expect(ScanView.block(nil) == " ")
        var row = ScanRow(sighting: Self.sighting)
        row.strip = [-90, nil, -40]
        #expect(ScanView.strip(row) == "wa0y1YwS  on-touch       C0:00:00:00:00:11  -48 dBm  ▂ ▇")
    }

    @Test(arguments: [
        ["open"], ["open", "--hci", "nowhere"], ["open", "--hci", "virtual"],
        ["scan", "--hci", "unix:/x", "--seconds", "0"],
        ["open", "--hci", "unix:/x", "--token", "A"], ["open", "--hci", "unix:/x", "--timeout", "0"],
        ["open", "--hci", "unix:/x", "--repeat", "0"], ["open", "--hci", "unix:/x", "--mode", "loud"],
        ["command", "--hci", "unix:/x"], ["command", "toolongname", "--hci", "unix:/x"],
        ["command", "PING", "0", "--hci", "unix:/x"], ["events", "--last", "0", "--hci", "unix:/x"],
        ["open", "--hci", "unix:/x", "--nfc", "pn532_uart:/x"], ["open", "--nfc", "pn532_uart:/x", "--mode", "access"],
        ["open", "--nfc", ""], ["open", "--nfc", "pn532_uart:/x", "--aid", "F001"], ["scan"],
        ["open", "--hci", "unix:/x", "--aid", "F072657264"], ["scan", "--nfc", "pn532_uart:/x"],
        ["events", "--since", "yesterday", "--hci", "unix:/x"], ["time", "--set", "noon", "--hci", "unix:/x"],
    ])
    func wrongUseIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try Readerlab.parseAsRoot(["phone"] + arguments) }
    }
}
