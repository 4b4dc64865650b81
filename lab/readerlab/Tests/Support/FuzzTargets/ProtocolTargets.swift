// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// Frames, raw or with a header that fits them; then a message cut into frames, which has to arrive whatever was
/// before.
func fuzzAssembler(_ input: inout FuzzInput) {
    var assembler = MessageAssembler()
    let limit = Int(input.octet()) * 2
    while let kind = input.next(), kind < 0xFE {
        let octets = input.block()
        let frame = kind & 1 == 0 ? octets : header(of: octets, status: Int16(kind >> 4)) + octets
        let outcome = assembler.receive(frame.span)
        require(assembler.payload.count <= MessageLimit.payload, "more is held than a message has")
        switch outcome {
        case .incomplete: require(assembler.isAssembling, "incomplete, and nothing is awaited")
        case .message, .rejected, .tooLong, .dropped: require(!assembler.isAssembling, "over, and something is awaited")
        }
    }
    assembler.reset()
    let payload = Array(input.rest().prefix(MessageLimit.payload))
    var framer = MessageFramer()
    certain { try framer.begin(payload: payload.span) }
    var frame: [UInt8] = []
    var outcome = MessageAssembler.Outcome.incomplete
    while framer.next(limit: limit, into: &frame) {
        require(frame.count <= max(min(limit, MessageLimit.frame), 6), "a frame of \(frame.count) octets")
        require(outcome == .incomplete, "over before its end")
        outcome = assembler.receive(frame.span)
    }
    require(outcome == .message(.ok) && assembler.payload == payload, "the message arrived as \(outcome)")
}

/// The header that a message with this payload has.
func header(of payload: [UInt8], status: Int16 = 0) -> [UInt8] {
    var octets: [UInt8] = []
    MessageHeader(
        payloadCount: payload.count, crc: FrameCRC(of: payload.span).value, status: StatusCode(rawValue: status)
    ).append(to: &octets)
    return octets
}

/// Octets as an envelope; octets sealed and opened again; and those changed in one place, which must not open.
func fuzzEnvelope(_ input: inout FuzzInput) {
    guard input.octet() != 0 else {
        return require(opened(input.rest()) == nil, "octets that nobody sealed open")
    }
    let change = (at: Int(input.word()), by: input.octet())
    let message = input.rest()
    guard message.count <= Envelope.plaintextLimit else { return }
    var wire = FuzzKeys.sealed(message, salts: FuzzKeys.salts)
    if change.by != 0 { wire[change.at % wire.count] ^= change.by }
    let plaintext = opened(wire)
    guard change.by == 0, !message.isEmpty else {
        return require(plaintext == nil, "octet \(change.at % wire.count) may be changed by \(change.by)")
    }
    let padded = message + Array(repeating: 0, count: (16 - message.count % 16) % 16)
    require(plaintext == padded, "what was sealed opens as something else")
}

private func opened(_ wire: [UInt8]) -> [UInt8]? {
    var plaintext: [UInt8] = []
    do throws(EnvelopeError) {
        _ = try Envelope.open(
            request: wire.span, terminalKey: FuzzKeys.terminal, salts: FuzzKeys.salts, into: &plaintext)
        return plaintext
    } catch {
        return nil
    }
}
