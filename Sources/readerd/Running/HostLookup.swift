// SPDX-License-Identifier: Apache-2.0

import Peripheral
import System

/// Name resolution for a transport, on its own thread: a name service may block, and the loop must end the lock's
/// pulses in time.
///
/// For use on the loop's thread.
struct HostLookup {
    /// The function that turns a name into addresses; called on the lookup's thread.
    typealias Resolving = @Sendable (TransportName) throws(TransportError) -> [TransportName]
    /// Called with the result on the loop's thread.
    typealias Completion = (Result<[TransportName], TransportError>) -> Void

    let reactor: Reactor
    var resolving: Resolving = { name throws(TransportError) in try name.resolved() }

    /// Starts a lookup; false if the process has no thread left.
    func start(_ name: TransportName, _ completion: @escaping Completion) -> Bool {
        let job = LookupJob(completion)
        return DetachedThread.start { [reactor, resolving] in
            let result: Result<[TransportName], TransportError>
            do throws(TransportError) { result = .success(try resolving(name)) } catch { result = .failure(error) }
            reactor.perform { job.complete(result) }
        }
    }
}

/// A completion that passes through the lookup's thread. It is called and released on the loop's thread only.
private final class LookupJob: @unchecked Sendable {
    private var completion: HostLookup.Completion?

    init(_ completion: @escaping HostLookup.Completion) { self.completion = completion }

    func complete(_ result: Result<[TransportName], TransportError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
