// SPDX-License-Identifier: Apache-2.0

import System

/// Starts a thread that runs `body` and ends. A peer of a loop must not occupy the loop's thread.
public func startThread(_ body: @escaping @Sendable () -> Void) {
    precondition(DetachedThread.start(body), "no thread for a test")
}

/// Runs `body` on a thread of its own and waits for it without occupying a thread of the global pool, which the body
/// may need.
public func onNewThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try body() }) }
    }
}
