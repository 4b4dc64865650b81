// SPDX-License-Identifier: Apache-2.0

import MulticastDNS
import TestSupport
import Timekeeping

/// Packets and time at a responder. What is read is written and read again as the same; what is sent can be read, and
/// there is not more of it than a second has room for.
func fuzzMDNS(_ input: inout FuzzInput) {
    let host = MDNSHost(name: "wifiprov", networks: [HostNetwork(HostAddress(192, 168, 0, 1), prefix: 24)])
    var service = MDNSService(
        instance: "wifiprov", type: ["_http", "_tcp"], subtypes: ["_a"], port: 443, text: ["txtvers=1"])
    guard var responder = MDNSResponder(host, [service])
    else { finding("there is no responder") }
    var random = CountingRandom()
    var now = Instant.origin
    responder.begin(at: now, &random)
    while let step = input.next() {
        switch step & 7 {
        case 0: now = now + .milliseconds(Int(input.word()))
        case 1: responder.end()
        case 2: responder.begin(at: now, &random)
        case 3: checkRoundTrip(input.block())
        case 4:
            service.instance = step & 8 == 0 ? "wifiprov" : "other"
            service.subtypes = step & 16 == 0 ? [] : ["_a", "_b"]
            service.isProbed = step & 32 == 0
            responder.offer(host, step & 64 == 0 ? [service] : [], at: now)
        default:
            let packet = input.block()
            let port: UInt16 = step & 8 == 0 ? MDNSPeer.port : 40_000
            responder.receive(
                packet.span, from: MDNSPeer(address: HostAddress(192, 168, 0, step >> 4), port: port), at: now, &random)
        }
        responder.advance(to: now)
        if let deadline = responder.deadline { require(deadline > now, "what is due is not done") }
        var count = 0
        while let packet = responder.nextPacket() {
            count += 1
            require((try? DNSMessage(packet.octets.span)) != nil, "what is sent cannot be read")
        }
        require(count <= 16, "\(count) packets at once")
        while responder.nextEvent() != nil {}
    }
}

private func checkRoundTrip(_ octets: [UInt8]) {
    guard let message = try? DNSMessage(octets.span) else { return }
    let again = message.octets
    // Names that ended in the middle of something else need more room.
    guard again.count <= DNSMessage.maximumCount else { return }
    require((try? DNSMessage(again.span)) == message, "what was read is written as something else")
}
