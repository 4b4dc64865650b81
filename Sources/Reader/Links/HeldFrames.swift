import AccessProtocol
import Octets

/// Frames that a phone sent before its gate opened, kept in order and in bounds.
///
/// Discovery and the first handshake frame may well be faster than the gate; holding them makes the gate cost no
/// time on the good path.
public struct HeldFrames: Sendable {
    /// One whole message of the session, header included: nothing sensible is longer before the first answer.
    static let maximumOctets = MessageHeader.octetCount + MessageLimit.payload
    /// A message cut into the smallest frames, 20 octets each.
    static let maximumFrames = (maximumOctets + smallestFrame - 1) / smallestFrame
    /// What the least ATT_MTU leaves for a frame.
    private static let smallestFrame = 20

    private var octets: [UInt8] = []
    private var ends: [Int] = []

    /// Nothing held.
    public init() {}

    /// Whether anything is held.
    public var isEmpty: Bool { ends.isEmpty }

    /// Keeps `frame`. False if that would be too much: then it is not kept.
    public mutating func append(_ frame: Span<UInt8>) -> Bool {
        guard ends.count < HeldFrames.maximumFrames, octets.count + frame.count <= HeldFrames.maximumOctets else {
            return false
        }
        octets.append(frame)
        ends.append(octets.count)
        return true
    }

    /// Gives up all frames, in order.
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
