// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// A byte stream in one piece and the same in small ones: the same packets, the same end. The first octet gives the
/// side, whether the answer to Reset is looked for first, and how the stream is cut.
func fuzzFramer(_ input: inout FuzzInput) {
    let choice = input.octet()
    let receiver: H4Receiver = choice & 1 == 0 ? .host : .controller
    let seeks = choice & 2 != 0
    let size = Int(choice >> 2) + 1
    let stream = input.rest()
    let whole = packets(of: [stream], receiver, seeks)
    let pieces = stride(from: 0, to: stream.count, by: size).map {
        Array(stream[$0..<min($0 + size, stream.count)])
    }
    let cut = packets(of: pieces, receiver, seeks)
    require(whole.packets == cut.packets, "cut into pieces of \(size), the stream has other packets")
    require(whole.reason == cut.reason, "cut into pieces of \(size), the stream ends differently")
    require(whole.skipped == cut.skipped, "cut into pieces of \(size), more or less is passed over")
    require(whole.isSeeking == cut.isSeeking, "cut into pieces of \(size), the answer is found or not")
    guard whole.reason == nil else { return }
    let count = whole.packets.reduce(0) { $0 + $1.count }
    guard !whole.isSeeking else {
        require(count == 0, "a packet is handed on before the answer")
        // What may still be the answer's beginning: at most all of it but one octet.
        require((0...5).contains(stream.count - whole.skipped), "octets are lost")
        return
    }
    let taken = stream.dropFirst(whole.skipped).prefix(count)
    require(Array(taken) == whole.packets.flatMap(\.self), "the packets are not the stream's")
    require(whole.isBetween == (whole.skipped + count == stream.count), "what is left is not told")
}

/// The result of a framer for a stream.
private struct Framed {
    var packets: [[UInt8]] = []
    var reason: H4Error.Reason?
    var isBetween = false
    var isSeeking = false
    var skipped = 0
}

private func packets(of pieces: [[UInt8]], _ receiver: H4Receiver, _ seeks: Bool) -> Framed {
    var framer = H4Framer(receiver: receiver)
    if seeks { framer.resynchronise() }
    var framed = Framed()
    for piece in pieces where framed.reason == nil {
        do throws(H4Error) {
            try framer.receive(piece.span) { packet in framed.packets.append(packet.array) }
        } catch {
            require((0..<max(piece.count, 1)).contains(error.offset), "the error is at \(error.offset)")
            framed.reason = error.reason
        }
    }
    framed.isBetween = framed.reason == nil && framer.isBetweenPackets
    framed.isSeeking = framer.isSeeking
    framed.skipped = framer.skippedCount
    return framed
}
