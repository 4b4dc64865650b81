// SPDX-License-Identifier: Apache-2.0

import CLinux
import Timekeeping

/// A connected stream socket that carries lines. Never blocks: what the peer does not read waits, up to a limit.
///
/// A line may have a secret: no copy is left here of a line that was passed on or sent, or when the socket ends.
public final class LineSocket {
    private let descriptor: CInt
    private var lines: LineBuffer
    private let waitingLimit: Int
    private var waiting = WipedQueue()
    private var watch: Watch?
    private weak var reactor: Reactor?
    /// The pieces with lines that were not returned: where each ends in all that was received, and the earliest time at
    /// which it may have arrived.
    private var pieces: [(end: Int, since: Instant)] = []
    private var received = 0
    /// True after the peer's end of file.
    public private(set) var inputHasEnded = false
    /// True if the connection failed, or the peer has too much unread data.
    public private(set) var isLost = false
    /// True if more than the limit waits for the peer.
    public private(set) var isOverfull = false
    /// True if the peer has read data since this was last set to false.
    public var hasRead = false

    private static let pieceCount = 4096

    /// Takes ownership of the descriptor, which does not block.
    ///
    /// - Parameters:
    ///   - lineLimit: the maximum length of a received line in octets.
    ///   - waitingLimit: the maximum number of octets that wait for the peer.
    public init(_ descriptor: CInt, lineLimit: Int, waitingLimit: Int) {
        self.descriptor = descriptor
        self.waitingLimit = waitingLimit
        lines = LineBuffer(limit: lineLimit)
    }

    deinit {
        watch?.cancel()
        readerd_close(descriptor)
    }

    /// Calls `handler` when the socket is readable or writable.
    public func watch(on reactor: Reactor, handler: @escaping () -> Void) throws(SystemError) {
        self.reactor = reactor
        watch = try reactor.watch(descriptor, .readable) { _ in handler() }
    }

    /// True after a line beyond the limit: no further data is accepted.
    public var isTooLong: Bool { lines.isTooLong }

    /// True if both directions have ended.
    public var hasEnded: Bool { inputHasEnded && readerd_has_ended(descriptor) }

    /// Reads the available data, once.
    public func receive() {
        guard !inputHasEnded, !isLost else { return }
        let count = lines.write(room: LineSocket.pieceCount) { readerd_read(descriptor, $0.baseAddress, $0.count) }
        switch count {
        case 1...:
            received += Int(count)
            if let reactor { pieces.append((received, reactor.inputSince)) }
            if count < LineSocket.pieceCount { watch?.drained() }
        case 0: inputHasEnded = true
        case -Int64(readerd_error_again): break
        default: isLost = true
        }
    }

    /// Lends the next received line to `body`, and overwrites it after that. Returns the result of `body`; nil if no
    /// complete line has arrived.
    public func nextLine<Result>(_ body: ([UInt8]) -> Result) -> Result? {
        guard !isLost, var line = lines.next() else { return nil }
        let consumed = lines.consumed
        pieces.removeFirst(pieces.prefix { $0.end < consumed }.count)
        defer { line.withUnsafeMutableBytes { WipedQueue.wipe($0) } }
        return body(line)
    }

    /// The longest time that the last line can have waited, in the socket and here (`Reactor.inputAge`).
    public var lineAge: Duration {
        guard let reactor, let piece = pieces.first else { return .zero }
        return reactor.now - piece.since
    }

    /// Sends a line, or queues it. A peer with too much unread data is lost.
    public func send(_ line: String) { send(Array(line.utf8)) }

    /// Sends a line, or queues it, as `send(_: String)` does. A line with a secret is the caller's to wipe.
    public func send(_ line: [UInt8]) {
        guard !isLost else { return }
        line.withUnsafeBytes { waiting.append($0) }
        withUnsafeBytes(of: 0x0A as UInt8) { waiting.append($0) }
        flush()
        if waiting.count > waitingLimit { (isLost, isOverfull) = (true, true) }
    }

    /// Sends as much as the socket accepts now.
    public func flush() {
        while waiting.count > 0 {
            let octets = waiting.octets
            let count = readerd_send(descriptor, octets.baseAddress, octets.count)
            if count == -Int64(readerd_error_again) { break }
            guard count > 0 else {
                isLost = true
                break
            }
            waiting.removeFirst(Int(count))
            hasRead = true
        }
    }

    /// The number of octets that wait for the peer.
    public var waitingCount: Int { waiting.count }

    /// Adjusts the watched readiness to the state. `wantsInput` is false while the owner accepts no lines.
    public func updateInterest(wantsInput: Bool = true) {
        var interest: Interest = []
        if !inputHasEnded, wantsInput, !lines.isTooLong { interest.insert(.readable) }
        if waiting.count > 0 { interest.insert(.writable) }
        do { try watch?.modify(interest) } catch { isLost = true }
    }
}
