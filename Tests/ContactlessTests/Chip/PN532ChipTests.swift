// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Contactless

/// The chip as its host sees it: literal octets of the manual's frames (UM0701-02, 6.2.1).
@Suite struct PN532ChipTests {
    private let rig = Rig()
    private let card: CardActivation

    init() throws { card = try CardActivation(identifier: [0x04, 0x2E, 0x1D, 0x22, 0x33, 0x44, 0x55]) }

    @Test("GetFirmwareVersion, octet for octet")
    func firmware() {
        let command = octets("55550000000000ff02fed4022a00")
        rig.chip.receive(command.span, at: .origin)
        #expect(rig.hostFrames() == [Rig.ack, octets("0000ff06fad50332010607e800")])
    }

    @Test("Fed octet by octet, and after noise")
    func fragments() {
        for octet in octets("ffaa000000ff02fed4022a00") { rig.chip.receive([octet].span, at: .origin) }
        #expect(rig.hostFrames().count == 2)
    }

    @Test("A frame with a wrong checksum has no response")
    func checksums() {
        for frame in ["0000ff02ffd4022a00", "0000ff02fed4022b00", "0000ff02fed4022a01"] {
            let faulty = octets(frame)
            rig.chip.receive(faulty.span, at: .origin)
            let outputs = rig.chip.takeOutputs()
            #expect(outputs.count == 1, "\(frame)")
            #expect(outputs.allSatisfy { if case .violation = $0 { true } else { false } })
        }
        #expect(rig.response(to: "02") == "0332010607")
    }

    @Test("An unknown command, and wrong lengths, get a syntax error")
    func syntax() {
        for command in ["55", "06", "0601", "0801", "3202", "4a", "4a0300", "40", "44", "3202000b11"] {
            let sent = PN532Frame.encoded([0xD4] + octets(command))
            rig.chip.receive(sent.span, at: .origin)
            let outputs = rig.chip.takeOutputs()
            #expect(outputs.last == .host(octets("0000ff01ff7f8100")), "\(command)")
        }
    }

    @Test("7.3.5: a card of type A with seven octets of identifier, and its ATS")
    func typeA() {
        #expect(rig.response(to: "4a0100") == "4b00")
        #expect(rig.enter("card", card))
        #expect(rig.response(to: "4a0100") == "4b010100442007042e1d223344550578807002")
        // S(DESELECT) halts it; the field's reset wakes it.
        #expect(rig.response(to: "4401") == "4500")
        #expect(rig.response(to: "4a0100") == "4b00")
        #expect(rig.response(to: "320100") == "33")
        #expect(rig.response(to: "4a0100")?.hasPrefix("4b01") == true)
    }

    @Test("Two cards: one after the other, both at once, and one by its identifier")
    func two() throws {
        #expect(rig.enter("one", card))
        let other = try CardActivation(identifier: [0x08, 0x01, 0x02, 0x03])
        #expect(rig.enter("other", other))
        #expect(!rig.enter("one", other))
        #expect(rig.response(to: "4a0200")?.hasPrefix("4b02") == true)
        #expect(rig.response(to: "4a010008010203")?.contains("0801020305") == true)
        #expect(rig.response(to: "4a010088042e1d22334455")?.contains("042e1d22334455") == true)
        #expect(rig.response(to: "4a0100")?.contains("042e1d22334455") == true)
        _ = rig.response(to: "4401")
        #expect(rig.response(to: "4a0100")?.contains("08010203") == true)
        _ = rig.response(to: "4401")
        #expect(rig.response(to: "4a0100") == "4b00")
    }

    @Test("Type B answers its own request only, and a card without ISO/IEC 14443-4 has no ATS")
    func others() throws {
        #expect(rig.enter("b", try CardActivation(.b, identifier: [0x11, 0x22, 0x33, 0x44])))
        #expect(rig.response(to: "4a0100") == "4b00")
        #expect(rig.response(to: "4a010300") == "4b01015011223344000000000081810100")
        rig.chip.leave("b")
        #expect(rig.enter("classic", try CardActivation(sak: 0x08, identifier: [0x12, 0x34, 0x56, 0x78])))
        #expect(rig.response(to: "4a0100") == "4b01010004080412345678")
    }

    @Test("7.3.8: an exchange, its number, and a late response without effect")
    func exchanges() {
        #expect(rig.enter("card", card))
        _ = rig.response(to: "4a0100")
        #expect(rig.response(to: "400100a4040000") == nil)
        rig.chip.respond("card", octets("9000"), number: 7, at: .origin)
        #expect(rig.hostFrames().isEmpty)
        rig.chip.respond("card", octets("6a82"), number: 1, at: .origin)
        #expect(rig.hostFrames().map(Rig.content) == ["41006a82"])
        rig.chip.respond("card", octets("9000"), number: 1, at: .origin)
        #expect(rig.hostFrames().isEmpty)
    }

    @Test("The chip's own time-out: 51.2 ms after power-up, and as configured")
    func timeouts() {
        #expect(rig.enter("card", card))
        _ = rig.response(to: "4a0100")
        _ = rig.response(to: "400100")
        #expect(rig.chip.deadline == .origin + .microseconds(51_200))
        rig.chip.advance(to: .origin + .microseconds(51_199))
        #expect(rig.hostFrames().isEmpty)
        rig.chip.advance(to: .origin + .microseconds(51_200))
        #expect(rig.hostFrames().map(Rig.content) == ["4101"])
        #expect(rig.response(to: "3202000b0f") == "33")
        _ = rig.response(to: "400100")
        #expect(rig.chip.deadline == .origin + .microseconds(1_638_400))
    }

    @Test("A card that leaves in the middle is a time-out, and then not there")
    func leaves() {
        #expect(rig.enter("card", card))
        _ = rig.response(to: "4a0100")
        _ = rig.response(to: "400100a40400")
        rig.chip.leave("card")
        #expect(rig.chip.takeOutputs() == [.released("card")])
        rig.chip.respond("card", octets("9000"), number: 1, at: .origin)
        #expect(rig.chip.takeOutputs().isEmpty)
        rig.chip.advance(to: .origin + .seconds(1))
        #expect(rig.hostFrames().map(Rig.content) == ["4101"])
        #expect(rig.response(to: "4a0100") == "4b00")
    }

    @Test("A polling frame needs whole octets and its CRC_A")
    func polling() {
        let frame = "6a02cb02062042200102030405060708"
        // REQA without an answer leaves 7 bits.
        _ = rig.response(to: "4a0100")
        _ = rig.response(to: "42" + frame + "cf17")
        #expect(rig.response(to: "08633d00") == "09")
        let sent = PN532Frame.encoded([0xD4, 0x42] + octets(frame + "cf17"))
        rig.chip.receive(sent.span, at: .origin)
        #expect(rig.chip.takeOutputs().contains(.pollingFrame(octets(frame))))
        #expect(rig.chip.deadline != nil)
        let wrong = PN532Frame.encoded([0xD4, 0x42] + octets(frame + "cf18"))
        rig.chip.receive(wrong.span, at: .origin)
        #expect(rig.chip.takeOutputs().contains { if case .violation = $0 { true } else { false } })
    }

    @Test("Octets cut at every length neither trap nor answer")
    func cuts() {
        let frame = PN532Frame.encoded([0xD4, 0x4A, 0x01, 0x00])
        for count in 0..<frame.count - 1 {
            let rig = Rig()
            let part = Array(frame[..<count])
            rig.chip.receive(part.span, at: .origin)
            #expect(rig.chip.takeOutputs().isEmpty)
        }
    }

    @Test("A NACK repeats the response, and an ACK ends the command")
    func acknowledgements() {
        _ = rig.response(to: "02")
        let nack = octets("0000ffff0000")
        rig.chip.receive(nack.span, at: .origin)
        #expect(rig.hostFrames().map(Rig.content) == ["0332010607"])
        #expect(rig.enter("card", card))
        _ = rig.response(to: "4a0100")
        _ = rig.response(to: "400100")
        rig.chip.receive(Rig.ack.span, at: .origin)
        #expect(rig.chip.deadline == nil)
    }
}

/// A chip and its host.
private final class Rig {
    static let ack = octets("0000ff00ff00")

    var chip = PN532Chip()

    /// The response to a command, without its frame; nil for none. Asserts the acknowledgement.
    func response(to command: String, at now: Instant = .origin) -> String? {
        let sent = PN532Frame.encoded([0xD4] + octets(command))
        chip.receive(sent.span, at: now)
        var frames = hostFrames()
        #expect(frames.first == Rig.ack)
        frames.removeFirst()
        return frames.first.map(Rig.content)
    }

    func enter(_ name: String, _ activation: CardActivation) -> Bool { chip.enter(name, activation) }

    func hostFrames() -> [[UInt8]] {
        chip.takeOutputs().compactMap { if case .host(let octets) = $0 { octets } else { nil } }
    }

    static func content(_ frame: [UInt8]) -> String { hex(Array(frame[6...].dropLast(2))) }
}
