// SPDX-License-Identifier: Apache-2.0

import System

/// The peer of a control connection, as reported by the kernel.
typealias ControlPeer = UnixListener.Peer

extension ControlPeer {
    /// The actor in event records, such as `uid 1000`.
    var actor: String { "uid \(user)" }
}

/// A connected client: its socket, and the state of its requests.
final class ControlClient {
    let peer: ControlPeer
    let socket: LineSocket
    /// The subject of its lines of the log.
    var subject: String { "control: \(peer.actor)" }
    /// True while an answer is pending. The next request waits, so that answers are in order.
    var awaitsAnswer = false
    var hasBeenTold = false
    /// The streams that it is sent.
    var streams: Set<ControlRequest.Subscription> = []
    var isSubscribed: Bool { !streams.isEmpty }

    /// The number of pending octets from which on no further request is accepted.
    private static let backlog = 16 * 1024

    /// Takes ownership of the descriptor.
    init(_ descriptor: CInt, peer: ControlPeer) {
        self.peer = peer
        socket = LineSocket(
            descriptor, lineLimit: ControlLimits.requestCount, waitingLimit: ControlLimits.waitingCount)
    }

    var isDone: Bool {
        if socket.isLost || socket.hasEnded { return true }
        if socket.isTooLong { return socket.waitingCount == 0 }
        return socket.inputHasEnded && socket.waitingCount == 0 && !awaitsAnswer && !isSubscribed
    }

    /// Reads the available data, once.
    func receive() { if wantsInput { socket.receive() } }

    /// Lends the next request to `body`; nil before the next one, or if it has to wait.
    func nextLine<Result>(_ body: ([UInt8]) -> Result) -> Result? { wantsInput ? socket.nextLine(body) : nil }

    private var wantsInput: Bool { !awaitsAnswer && socket.waitingCount < ControlClient.backlog && !socket.isLost }

    /// Sends a line, or queues it. A client with too much unread data is lost.
    func send(_ line: String) { socket.send(line) }

    var isWaiting: Bool { socket.waitingCount > 0 && !socket.isLost }

    /// Adjusts the watched readiness to the client's state.
    func updateInterest() { socket.updateInterest(wantsInput: wantsInput) }
}
