// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Octets

/// Frames that a phone sent before its gate opened, in order and bounded.
///
/// Discovery and the first handshake frame may be faster than the gate; holding them saves time on the good path.
public struct HeldFrames: Sendable {
    /// One whole message of the session, header included: no phone sends more before the first answer.
    static let maximumOctets = MessageHeader.octetCount + MessageLimit.payload
    /// A message in the smallest frames, 20 octets each.
    static let maximumFrames = (maximumOctets + smallestFrame - 1) / smallestFrame
    /// The frame size at the least ATT_MTU.
    private static let smallestFrame = 20

    private var octets: [UInt8] = []
    private var ends: [Int] = []

    /// An empty buffer.
    public init() {}

    /// True if no frame is held.
    public var isEmpty: Bool { ends.isEmpty }

    /// Holds `frame`, unless that exceeds a limit; then false.
    public mutating func append(_ frame: Span<UInt8>) -> Bool {
        guard ends.count < HeldFrames.maximumFrames, octets.count + frame.count <= HeldFrames.maximumOctets else {
            return false
        }
        octets.append(frame)
        ends.append(octets.count)
        return true
    }

    /// Removes and returns all frames, in order.
    public mutating func takeAll() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var start = 0
        for end in ends {
            frames.append(Array(octets[start..<end]))
            start = end
        }
        octets.removeAll()
        ends.removeAll()
        return frames
    }
}
