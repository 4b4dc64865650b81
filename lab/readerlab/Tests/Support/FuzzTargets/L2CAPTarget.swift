// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// Fragments in any order, each begun by an octet that says whether it starts a PDU; whole PDUs go to signalling. At
/// the end a PDU comes as it should, and has to arrive whatever was before.
func fuzzL2CAP(_ input: inout FuzzInput) {
    var reassembly = L2CAPReassembly()
    let size = Int(input.octet()) + 1
    while let kind = input.next(), kind < 0xFE {
        let fragment = input.block()
        feed(reassembly.receive(fragment.span, isStart: kind & 1 == 0), reassembly, fragment)
        require(reassembly.octets.count <= 4 + reassembly.maximumPayload, "more is held than a PDU has")
    }
    let payload = input.consume(L2CAPReassembly.defaultMaximumPayload)
    let frame = [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), 5, 0] + payload
    var outcome = L2CAPReassembly.Outcome.incomplete
    for start in stride(from: 0, to: frame.count, by: size) {
        let fragment = Array(frame[start..<min(start + size, frame.count)])
        outcome = reassembly.receive(fragment.span, isStart: start == 0)
        let received = feed(outcome, reassembly, fragment)
        if start + size >= frame.count { require(received == payload, "the PDU arrived as another one") }
    }
    guard case .complete(.init(rawValue: 5), _, _) = outcome else { finding("the PDU did not arrive") }
}

/// The payload of a whole PDU, which is also tried as signalling.
@discardableResult
private func feed(
    _ outcome: L2CAPReassembly.Outcome, _ reassembly: L2CAPReassembly, _ fragment: [UInt8]
) -> [UInt8]? {
    guard case .complete(_, let range, let inFragment) = outcome else { return nil }
    let source = inFragment ? fragment : reassembly.octets
    require(range.upperBound <= source.count, "the payload is not where it is said to be")
    let pdu = Array(source[range])
    let response = answer(pdu)
    guard !response.isEmpty else { return pdu }
    require((4...23).contains(response.count), "the response has \(response.count) octets")
    require(response.count == 4 + Int(response[2]), "the response's length is wrong")
    require(response[1] == pdu[1], "the response answers another command")
    require(answer(response).isEmpty, "a response is answered")
    return pdu
}

/// The answer of a link without channels to a signalling PDU, without its L2CAP header.
private func answer(_ pdu: [UInt8]) -> [UInt8] {
    var channels = LinkChannels(services: [])
    var events: [ChannelEvent] = []
    channels.receiveSignal(pdu.span, security: LinkSecurityLevel(), at: .origin, events: &events)
    var frame: [UInt8] = []
    _ = channels.takeFrame(into: &frame, events: &events)
    require(events.isEmpty, "a link without services has a channel event")
    return Array(frame.dropFirst(4))
}
