import CLinux
import Glibc
import System

/// The peer of a control connection, from the kernel.
struct ControlPeer: Equatable {
    var user: UInt32
    var process: Int32

    /// `uid 1000`, as the event log has it.
    var actor: String { "uid \(user)" }
}

/// A connected client: its lines so far, and what waits to be read by it. Never waits for it.
final class ControlClient {
    let peer: ControlPeer
    private let descriptor: CInt
    private var lines = ControlLines(limit: ControlLimits.requestCount)
    private var waiting: [UInt8] = []
    private var watch: Watch?
    /// The client has sent all that it will.
    private var inputHasEnded = false
    /// Nothing more can be sent to it, or it takes too much.
    private(set) var isLost = false
    /// It was sent more than is kept for one that does not read.
    private(set) var isOverfull = false
    /// It has read something since this was set to false.
    var hasRead = false
    /// A request is under way whose answer comes later: the next one waits, so that answers come in order.
    var awaitsAnswer = false
    var hasBeenTold = false
    var isSubscribed = false

    private static let pieceCount = 4096
    /// With so much to be read by it, no further request of it is taken.
    private static let backlog = 16 * 1024

    /// Takes the descriptor over.
    init(_ descriptor: CInt, peer: ControlPeer) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit {
        watch?.cancel()
        readerd_close(descriptor)
    }

    /// Calls `handler` when there is something to do for the client.
    func watch(on reactor: Reactor, handler: @escaping () -> Void) throws(SystemError) {
        watch = try reactor.watch(descriptor, .readable) { _ in handler() }
    }

    var isDone: Bool {
        if isLost || inputHasEnded && readerd_has_ended(descriptor) { return true }
        if lines.isTooLong { return waiting.isEmpty }
        return inputHasEnded && waiting.isEmpty && !awaitsAnswer && !isSubscribed
    }

    var isTooLong: Bool { lines.isTooLong }

    /// Reads what there is, once.
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

    /// The next request; nil while there is none, or it has to wait.
    func nextLine() -> [UInt8]? { wantsInput ? lines.next() : nil }

    private var wantsInput: Bool { !awaitsAnswer && waiting.count < ControlClient.backlog && !isLost }

    /// Sends a line, or keeps it until the client reads; one that does not read is lost.
    func send(_ line: String) {
        guard !isLost else { return }
        waiting.append(contentsOf: line.utf8)
        waiting.append(0x0A)
        flush()
        if waiting.count > ControlLimits.waitingCount { (isLost, isOverfull) = (true, true) }
    }

    /// Sends as much as it takes now.
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

    /// Watches for what it waits for now.
    func updateInterest() {
        var interest: Interest = []
        if !inputHasEnded, wantsInput, !lines.isTooLong { interest.insert(.readable) }
        if !waiting.isEmpty { interest.insert(.writable) }
        do { try watch?.modify(interest) } catch { isLost = true }
    }
}
