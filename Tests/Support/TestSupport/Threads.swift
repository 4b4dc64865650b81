import Glibc

/// Starts a thread that runs `body` and ends. A peer of a loop must not occupy the loop's thread.
public func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(result == 0, "no thread for a test: \(String(cString: strerror(result)))")
    pthread_detach(thread)
}

/// Runs `body` on a thread of its own and waits for it without occupying a thread of the global pool, which the body
/// may need.
public func onNewThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try body() }) }
    }
}
