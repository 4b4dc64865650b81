// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Octets
import System

/// The peer of a control connection, as reported by the kernel.
struct ControlPeer: Equatable {
    var user: UInt32
    var process: Int32

    /// The actor in event records, such as `uid 1000`.
    var actor: String { "uid \(user)" }
}

/// A connected client with its received lines and unsent data. Never blocks.
final class ControlClient {
    let peer: ControlPeer
    private let descriptor: CInt
    private var lines = LineBuffer(limit: ControlLimits.requestCount)
    private var waiting: [UInt8] = []
    private var watch: Watch?
    /// True after the client's end of file.
    private var inputHasEnded = false
    /// True if the connection failed, or the client has too much unread data.
    private(set) var isLost = false
    /// True if more than the maximum is pending for the client.
    private(set) var isOverfull = false
    /// True if the client has read data since this was last set to false.
    var hasRead = false
    /// True while an answer is pending. The next request waits, so that answers are in order.
    var awaitsAnswer = false
    var hasBeenTold = false
    var isSubscribed = false

    private static let pieceCount = 4096
    /// The number of pending octets from which on no further request is accepted.
    private static let backlog = 16 * 1024

    /// Takes ownership of the descriptor.
    init(_ descriptor: CInt, peer: ControlPeer) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit {
        watch?.cancel()
        readerd_close(descriptor)
    }

    /// Calls `handler` when the client is readable or writable.
    func watch(on reactor: Reactor, handler: @escaping () -> Void) throws(SystemError) {
        watch = try reactor.watch(descriptor, .readable) { _ in handler() }
    }

    var isDone: Bool {
        if isLost || inputHasEnded && readerd_has_ended(descriptor) { return true }
        if lines.isTooLong { return waiting.isEmpty }
        return inputHasEnded && waiting.isEmpty && !awaitsAnswer && !isSubscribed
    }

    var isTooLong: Bool { lines.isTooLong }

    /// Reads the available data, once.
    func receive() {
        guard !inputHasEnded, wantsInput else { return }
        var piece = [UInt8](repeating: 0, count: ControlClient.pieceCount)
        let count = readerd_read(descriptor, &piece, piece.count)
        switch count {
        case 1...: lines.append(piece[..<Int(count)])
        case 0: inputHasEnded = true
        case Int64(-EAGAIN): break
        default: isLost = true
        }
    }

    /// Returns the next request; nil if there is none yet, or it has to wait.
    func nextLine() -> [UInt8]? { wantsInput ? lines.next() : nil }

    private var wantsInput: Bool { !awaitsAnswer && waiting.count < ControlClient.backlog && !isLost }

    /// Sends a line, or queues it. A client with too much unread data is lost.
    func send(_ line: String) {
        guard !isLost else { return }
        waiting.append(contentsOf: line.utf8)
        waiting.append(0x0A)
        flush()
        if waiting.count > ControlLimits.waitingCount { (isLost, isOverfull) = (true, true) }
    }

    /// Sends as much as the socket accepts now.
    func flush() {
        var sent = 0
        while sent < waiting.count {
            let count = waiting.withUnsafeBytes { octets in
                readerd_send(descriptor, octets.baseAddress.map { $0 + sent }, octets.count - sent)
            }
            if count == Int64(-EAGAIN) { break }
            guard count > 0 else {
                isLost = true
                break
            }
            sent += Int(count)
        }
        waiting.removeFirst(sent)
        if sent > 0 { hasRead = true }
    }

    var unreadCount: Int { waiting.count }

    var isWaiting: Bool { !waiting.isEmpty && !isLost }

    /// Adjusts the watched readiness to the client's state.
    func updateInterest() {
        var interest: Interest = []
        if !inputHasEnded, wantsInput, !lines.isTooLong { interest.insert(.readable) }
        if !waiting.isEmpty { interest.insert(.writable) }
        do { try watch?.modify(interest) } catch { isLost = true }
    }
}
