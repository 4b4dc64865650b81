// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Phone
import Reader
import TestSupport
import Timekeeping

/// A phone's session, a good reader, and somebody between them who changes, drops and invents frames. What the phone
/// shows as the result is what the reader answered, or there is none.
func fuzzPhone(_ input: inout FuzzInput) {
    var pair = SessionPair()
    while let choice = input.next() {
        switch choice & 7 {
        case 0: pair.start()
        case 1: pair.receive(input.block())
        case 2:
            let payload = input.block()
            pair.receive(header(of: payload) + payload)
        case 3: pair.receive(header(of: [], status: Int16(bitPattern: input.word())))
        case 4: pair.passOn(changing: Int(input.word()), by: input.octet())
        case 5: pair.reader.reset()
        default: pair.passOn(changing: 0, by: 0)
        }
    }
    pair.recover()
}

private struct SessionPair: ~Copyable {
    var reader = AccessSession()
    private var assembler = MessageAssembler()
    private var phone = PhoneSession()
    private var random = CountingRandom()
    private var completed = 0

    private static let result: [UInt8] = [8, 1, 2, 3]
    private static let noon = CivilTime(year: 2026, month: 5, day: 4, hour: 12)

    mutating func start() {
        let token = FuzzKeys.token
        _ = phone.start(token: token.span, terminal: FuzzKeys.identity.terminalKey.publicKey, random: &random)
    }

    /// The phone hears a frame.
    mutating func receive(_ frame: [UInt8]) {
        guard case .completed(let data) = phone.receive(frame.span, random: &random) else { return }
        require(data == SessionPair.result, "the phone shows a result that the reader did not give")
        completed += 1
    }

    /// Passes the phone's frames to the reader, and its answer back, in one place changed or not.
    mutating func passOn(changing place: Int, by change: UInt8) {
        var frame: [UInt8] = []
        while phone.nextFrame(limit: 244, into: &frame) {
            guard case .message(let status) = assembler.receive(frame.span) else { continue }
            let payload = assembler.payload
            let step = reader.receive(
                status, payload.span, identity: FuzzKeys.identity, clock: SessionPair.noon, random: &random)
            if case .execute = step {
                reader.finish(.ok, result: SessionPair.result.span, identity: FuzzKeys.identity)
            }
        }
        var answer = reader.answer
        reader.answerTaken()
        if answer.indices.contains(place) { answer[place] ^= change }
        for start in stride(from: 0, to: answer.count, by: 244) {
            receive(Array(answer[start..<min(start + 244, answer.count)]))
        }
    }

    mutating func recover() {
        phone.reset()
        reader.reset()
        assembler.reset()
        let before = completed
        start()
        passOn(changing: 0, by: 0)
        passOn(changing: 0, by: 0)
        require(completed == before + 1, "a good exchange does not go through")
    }
}
