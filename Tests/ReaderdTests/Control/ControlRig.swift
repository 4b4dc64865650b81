// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import readerd

/// A client of a control socket that waits for what it wants.
final class BlockingClient {
    let descriptor: CInt
    private var octets: [UInt8] = []

    init(_ path: String) throws {
        var isConnecting = false
        descriptor = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ octets: [UInt8]) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { readerd_send(descriptor, $0.baseAddress, $0.count) }
            if count == Int64(-EAGAIN) {
                guard wait(POLLOUT) else { return }
            } else if count > 0 {
                rest = rest.dropFirst(Int(count))
            } else {
                return
            }
        }
    }

    /// The next line; nil when the other end has closed, or does nothing.
    func line() -> String? {
        while true {
            if let end = octets.firstIndex(of: 0x0A) {
                defer { octets.removeFirst(end + 1) }
                return String(decoding: octets[..<end], as: UTF8.self)
            }
            guard wait(POLLIN) else { return nil }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = readerd_read(descriptor, &piece, piece.count)
            if count == Int64(-EAGAIN) { continue }
            guard count > 0 else { return nil }
            octets += piece[..<Int(count)]
        }
    }

    func ask(_ text: String) -> String? {
        send(text + "\n")
        return line()
    }

    private func wait(_ events: Int32) -> Bool {
        let isReady = becomes(descriptor, events)
        #expect(isReady, "the other end does nothing")
        return isReady
    }
}

/// Stops a loop in a handler while `body` runs on this thread, and 60 ms longer.
func stopped(_ reactor: Reactor, _ body: () -> Void) {
    let (hasStopped, mayGoOn) = (Flag(), Flag())
    reactor.perform {
        hasStopped.set()
        mayGoOn.wait()
        usleep(60_000)
    }
    hasStopped.wait()
    body()
    mayGoOn.set()
}

/// Set by one thread, awaited by another.
private final class Flag: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }
    func wait() { while !isSet.withLock({ $0 }) { usleep(1000) } }
}

extension ProcessRig {
    /// Runs the process while `body` talks to it by its control socket.
    func serve(_ body: @escaping @Sendable (_ client: BlockingClient, _ rig: ProcessRig) throws -> Void) throws {
        try run { path, rig in try body(BlockingClient(path), rig) }
    }
}
