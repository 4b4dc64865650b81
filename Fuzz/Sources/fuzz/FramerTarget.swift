import Peripheral

/// A byte stream in one piece and the same in small ones: the same packets, the same end. The first octet gives the
/// side and how the stream is cut.
func fuzzFramer(_ input: inout FuzzInput) {
    let choice = input.octet()
    let receiver: H4Receiver = choice & 1 == 0 ? .host : .controller
    let size = Int(choice >> 1) + 1
    let stream = input.rest()
    let whole = packets(of: [stream], receiver)
    let pieces = stride(from: 0, to: stream.count, by: size).map {
        Array(stream[$0..<min($0 + size, stream.count)])
    }
    let cut = packets(of: pieces, receiver)
    require(whole.packets == cut.packets, "cut into pieces of \(size), the stream has other packets")
    require(whole.reason == cut.reason, "cut into pieces of \(size), the stream ends differently")
    if whole.reason == nil {
        let count = whole.packets.reduce(0) { $0 + $1.count }
        require(Array(stream.prefix(count)) == whole.packets.flatMap(\.self), "the packets are not the stream's")
        require(whole.isBetween == (count == stream.count), "what is left is not told")
    }
}

private func packets(
    of pieces: [[UInt8]], _ receiver: H4Receiver
) -> (packets: [[UInt8]], reason: H4Error.Reason?, isBetween: Bool) {
    var framer = H4Framer(receiver: receiver)
    var packets: [[UInt8]] = []
    for piece in pieces {
        do throws(H4Error) {
            try framer.receive(piece.span) { packet in packets.append(packet.array) }
        } catch {
            require((0..<max(piece.count, 1)).contains(error.offset), "the error is at \(error.offset)")
            return (packets, error.reason, false)
        }
    }
    return (packets, nil, framer.isBetweenPackets)
}
