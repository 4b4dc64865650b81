// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Contactless

/// The host's end of the line to a PN532 (UM0701-02, 6.2.1 and 7.1).
@Suite struct PN532LinkTests {
    private func receive(_ octets: [UInt8], _ link: inout PN532Link) -> PN532Link.Result? {
        link.receive(octets.span)
    }

    @Test func aCommandIsFramed() {
        var link = PN532Link()
        // 6.2.1.1: GetFirmwareVersion.
        #expect(link.octets(of: [0x02]) == octets("0000ff02fed4022a00"))
    }

    @Test func aResponseIsWholeOctetByOctet() {
        var link = PN532Link()
        _ = link.octets(of: [0x02])
        let answer = octets("0000ff00ff00 0000ff06fad50332010607e800")
        for octet in answer.dropLast() { #expect(receive([octet], &link) == nil) }
        #expect(receive([0x00], &link) == .response([0x32, 0x01, 0x06, 0x07]))
    }

    @Test func theStatusTellsAFailedExchange() {
        var link = PN532Link()
        for (status, isFailure) in [(0x00, false), (0x01, true), (0x40, false), (0x29, true)] as [(UInt8, Bool)] {
            _ = link.octets(of: [0x40, 0x01, 0x00])
            let frame = PN532Frame.encoded([0xD5, 0x41, status, 0x90, 0x00])
            #expect(receive(frame, &link) == (isFailure ? .exchangeFailed : .response([status, 0x90, 0x00])))
        }
        // RFConfiguration has no status.
        _ = link.octets(of: [0x32, 0x01, 0x01])
        #expect(receive(PN532Frame.encoded([0xD5, 0x33]), &link) == .response([]))
    }

    @Test func aResponseToAnotherCommandIsUnexpected() {
        var link = PN532Link()
        _ = link.octets(of: [0x40, 0x01, 0x00])
        #expect(receive(PN532Frame.encoded([0xD5, 0x4B, 0x00]), &link) == .unexpected)
        #expect(receive(PN532Frame.syntaxError, &link) == .unexpected)
    }

    @Test func theModelAnswersTheLink() {
        var (link, chip) = (PN532Link(), PN532Chip())
        let command = link.octets(of: [0x4A, 0x01, 0x00])
        chip.receive(command.span, at: .origin)
        let results = chip.takeOutputs().compactMap { output in
            if case .host(let octets) = output { receive(octets, &link) } else { nil }
        }
        #expect(results == [.response([0x00])])
    }
}
