// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import TestSupport
import Timekeeping

/// A reader's session and a phone that sends anything, sealed or not. Nothing but the published token is executed, and
/// in the end a good exchange goes through.
func fuzzSession(_ input: inout FuzzInput) {
    var bench = SessionBench()
    while let choice = input.next() {
        switch choice >> 4 {
        case 0..<12:
            for frame in bench.handset.frames(choice, &input, limit: 512) { bench.receive(frame, input.octet()) }
        case 12: bench.clock = choice & 1 == 0 ? nil : CivilTime(epochSeconds: Int64(input.word()) << 17)
        case 13: bench.takeAnswer()
        case 14: bench.session.reset()
        default: bench.finish(0, [])
        }
    }
    bench.recover()
}

private struct SessionBench: ~Copyable {
    var session = AccessSession()
    private var assembler = MessageAssembler()
    var handset = FuzzHandset()
    var clock: CivilTime? = CivilTime(year: 2026, month: 5, day: 4, hour: 12)
    private var random = CountingRandom()
    private var executed = 0

    mutating func receive(_ frame: [UInt8], _ ending: UInt8) {
        switch assembler.receive(frame.span) {
        case .incomplete, .dropped: break
        case .rejected, .tooLong: session.reset()
        case .message(let status): receive(status, ending)
        }
        if ending & 2 == 0 { takeAnswer() }
    }

    private mutating func receive(_ status: StatusCode, _ ending: UInt8) {
        let payload = assembler.payload
        let step = session.receive(
            status, payload.span, identity: FuzzKeys.identity, clock: clock, random: &random)
        switch step {
        case .execute(let command):
            require(FuzzKeys.isToken(command), "a command that nobody signed: \(command.name.rawValue)")
            require(session.isExecuting, "nothing is being executed")
            executed += 1
            if ending & 1 == 0 { finish(ending, [1, 2, 3]) }
        case .decide: finding("a credential that nobody signed")
        case .reply, .refused: require(!session.answer.isEmpty, "an answer without octets")
        case .silent: break
        }
    }

    mutating func finish(_ ending: UInt8, _ result: [UInt8]) {
        let wasExecuting = session.isExecuting
        let status = StatusCode(rawValue: ending & 4 == 0 ? 0 : -5)
        let result = Array(repeating: UInt8(7), count: Int(ending >> 3) * 64) + result
        let told = session.finish(status, result: result.span, identity: FuzzKeys.identity)
        require(wasExecuting || told == .invalidState, "there was nothing to finish: \(told)")
        require(!session.isExecuting, "executing what is finished")
    }

    mutating func takeAnswer() {
        let answer = session.answer
        guard !answer.isEmpty else { return }
        require(
            (MessageHeader.octetCount...MessageHeader.octetCount + MessageLimit.payload).contains(answer.count),
            "an answer of \(answer.count) octets")
        session.answerTaken()
        for start in stride(from: 0, to: answer.count, by: MessageLimit.frame) {
            handset.receive(Array(answer[start..<min(start + MessageLimit.frame, answer.count)]))
        }
    }

    mutating func recover() {
        session.reset()
        assembler.reset()
        handset = FuzzHandset()
        clock = CivilTime(year: 2026, month: 5, day: 4, hour: 12)
        let before = executed
        receive(FuzzHandset.handshake, 0)
        for frame in [handset.request(FuzzKeys.token)] { receive(frame, 0) }
        require(executed == before + 1, "a good exchange does not go through")
    }
}
