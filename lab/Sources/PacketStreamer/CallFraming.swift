// SPDX-License-Identifier: Apache-2.0

import Octets

/// The messages in the DATA frames of a call: each has a prefix of five octets, a flag for compression and the length,
/// big-endian ("gRPC over HTTP2", Length-Prefixed-Message). Frames have arbitrary boundaries.
///
/// After an error, the octets are no longer understood: the caller ends the call.
struct CallFraming: Sendable {
    /// The longest message in octets. The longest packet of H4 has 4107 octets without its type (`H4Framer`), and
    /// `initial_info` a few hundred.
    static let maximumMessageCount = 8192
    static let prefixCount = 5

    private var pending: [UInt8] = []

    init() {}

    /// True if no message is incomplete.
    var isBetweenMessages: Bool { pending.isEmpty }

    /// Handles octets, and delivers each complete message without its prefix.
    ///
    /// - Throws: `unimplemented` for a compressed message, `resourceExhausted` for a long one, before its octets are
    ///   collected; and errors of `deliver`.
    mutating func receive(
        _ octets: Span<UInt8>, deliver: (Span<UInt8>) throws(CallStatus) -> Void
    ) throws(CallStatus) {
        var offset = 0
        while offset < octets.count {
            let wanted = try missingCount()
            let taken = min(wanted, octets.count - offset)
            pending.append(octets.extracting(offset..<offset + taken))
            offset += taken
            guard try missingCount() == 0 else { continue }
            try deliver(pending.span.extracting(CallFraming.prefixCount..<pending.count))
            pending.removeAll(keepingCapacity: true)
        }
    }

    /// The number of octets until the end of the prefix, then of the message; 0 for a complete message.
    private func missingCount() throws(CallStatus) -> Int {
        guard pending.count >= CallFraming.prefixCount else { return CallFraming.prefixCount - pending.count }
        guard pending[0] == 0 else {
            throw CallStatus(.unimplemented, "a message is compressed; send it without grpc-encoding")
        }
        let count = pending[1..<CallFraming.prefixCount].reduce(0) { $0 << 8 | Int($1) }
        guard count <= CallFraming.maximumMessageCount else {
            throw CallStatus(
                .resourceExhausted,
                "a message has \(count) octets; \(CallFraming.maximumMessageCount) are the most")
        }
        return CallFraming.prefixCount + count - pending.count
    }

    /// The prefix of an uncompressed message with `count` octets.
    static func prefix(_ count: Int) -> [UInt8] {
        [0] + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
    }
}
