// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// A phone that touches the reader and sends any command APDUs, with messages in them, sealed or not. Each has one
/// response, in time and of a bounded length; no input may give the lock current; and in the end a good exchange goes
/// through.
func fuzzAPDU(_ input: inout FuzzInput) {
    var rig = TouchRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x40: rig.send(input.block())
        case 0x40..<0x60: rig.send(TouchRig.command(choice, input.block()))
        case 0x60..<0xA0: rig.transfer(choice, &input)
        case 0xA0..<0xB0: rig.send(TouchRig.access)
        case 0xB0..<0xB8: rig.send(TouchRig.ndef)
        case 0xB8..<0xC0: rig.send([0x00, 0xC0, 0, 0, input.octet()])
        case 0xC0..<0xC8: rig.send([0x80, 0x12, 0, 0, input.octet()])
        case 0xC8..<0xD0: rig.reset()
        case 0xD0..<0xE0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

private struct TouchRig: ~Copyable, TimedRig {
    static let access: [UInt8] = FuzzKeys.octets("00A4040009F0726561646572640100")
    static let ndef: [UInt8] = FuzzKeys.octets("00A4040007D276000085010100")
    private static let classes: [UInt8] = [0x00, 0x80, 0x90, 0x10]
    private static let instructions: [UInt8] = [0xA4, 0xB0, 0x10, 0x12, 0xC0, 0xD6, 0xCA, 0xA4]

    var device: ReaderDevice<CountingRandom>
    var now = Instant.origin
    private var handset = FuzzHandset()
    private var executed = 0
    private var answer: [UInt8] = []
    private var effects: [ReaderEffect] = []

    init() {
        let configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init())
        ])
        device = FuzzKeys.reader(configuration)
        var contactless = ContactlessConfiguration()
        contactless.deviceID = "Door0001"
        contactless.message = NDEFMessage.octets(uri: "https://a.example", package: "b.c")
        device.reader.configureContactless(contactless)
        device.reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: FuzzKeys.epochSeconds) }

    /// A command with a class and an instruction that there may be.
    static func command(_ choice: UInt8, _ octets: [UInt8]) -> [UInt8] {
        [classes[Int(choice & 3)], instructions[Int(choice >> 2 & 7)]] + octets
    }

    /// The messages of a phone, in commands of one size.
    mutating func transfer(_ choice: UInt8, _ input: inout FuzzInput) {
        let message = handset.frames(input.octet(), &input, limit: .max).first ?? []
        let size = choice & 0x20 == 0 ? 240 : max(1, Int(input.octet()))
        send(message, by: size, expecting: choice & 1 == 0 ? 0 : input.octet())
    }

    private mutating func send(_ message: [UInt8], by size: Int, expecting: UInt8) {
        for start in stride(from: 0, to: message.count, by: size) {
            let part = message[start..<min(start + size, message.count)]
            let isLast = part.endIndex == message.count
            send(
                [isLast ? 0x80 : 0x90, 0x10, 0, 0, UInt8(truncatingIfNeeded: part.count)] + part
                    + (isLast ? [expecting] : []))
        }
    }

    mutating func send(_ command: [UInt8]) {
        device.receive(command: command.span, at: moment)
        look()
        if device.reader.contactlessResponse.isEmpty {
            pass(.milliseconds(100))
            require(!device.reader.contactlessResponse.isEmpty, "no response in time")
        }
        let response = device.reader.contactlessResponse
        require((2...APDULimit.response).contains(response.count), "a response of \(response.count) octets")
        // What a session says, and not what a selection or a file does.
        guard command.count > 1, command[0] == 0x80 || command[1] == 0xC0 else { return answer = [] }
        answer += response.dropLast(2)
        require(answer.count <= 1 << 20, "an answer without an end")
        if response.suffix(2) == [0x90, 0x00] {
            handset.receive(answer)
            answer = []
        } else if response[response.count - 2] != 0x61 {
            answer = []
        }
    }

    mutating func reset() {
        device.reader.contactlessReset()
        look()
    }

    var deadline: Instant? { device.nextDeadline }

    mutating func reach(_ instant: Instant) {
        device.advance(to: moment)
        look()
    }

    private mutating func look() {
        device.reader.takeEffects(into: &effects)
        requireNothingOpened(effects)
        for case .notice(.executed(let link, _, _, _)) in effects {
            require(link.channel == .nfc, "executed on \(link)")
            executed += 1
        }
    }

    mutating func recover() {
        reset()
        handset = FuzzHandset()
        answer = []
        let before = executed
        send(TouchRig.access)
        send(FuzzHandset.handshake, by: 240, expecting: 0)
        send(handset.request(FuzzKeys.token), by: 240, expecting: 0)
        require(executed == before + 1, "a good exchange does not go through")
        send(TouchRig.ndef)
        require(device.reader.contactlessResponse == [0x90, 0x00], "the tag is gone")
    }
}
