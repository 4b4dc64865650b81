import Glibc
import Peripheral
import Reactor

/// Looks the host of a transport up, on a thread that is there for that and ends with it: the loop, which ends pulses,
/// waits for no name service.
///
/// On the loop's thread, but for `resolving`.
struct HostLookup {
    /// How a name becomes addresses; tests have it fail, or never come back.
    typealias Resolving = @Sendable (TransportName) throws(TransportError) -> [TransportName]
    /// What is called on the loop's thread when that is known.
    typealias Completion = (Result<[TransportName], TransportError>) -> Void

    let reactor: Reactor
    var resolving: Resolving = { name throws(TransportError) in try name.resolved() }

    /// Starts to look up; false if there is no thread to be had.
    func start(_ name: TransportName, _ completion: @escaping Completion) -> Bool {
        let errand = Unmanaged.passRetained(Errand(name, reactor, resolving, completion))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, lookupThread, errand.toOpaque()) == 0 else {
            errand.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// What the thread is sent for. The completion is only handed through it.
    fileprivate final class Errand: @unchecked Sendable {
        private let name: TransportName
        private let reactor: Reactor
        private let resolving: Resolving
        private var completion: Completion?

        init(
            _ name: TransportName, _ reactor: Reactor, _ resolving: @escaping Resolving,
            _ completion: @escaping Completion
        ) {
            (self.name, self.reactor, self.resolving, self.completion) = (name, reactor, resolving, completion)
        }

        func run() {
            let result: Result<[TransportName], TransportError>
            do throws(TransportError) { result = .success(try resolving(name)) } catch { result = .failure(error) }
            reactor.perform { [self] in
                let completion = completion
                self.completion = nil
                completion?(result)
            }
        }
    }
}

private func lookupThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<HostLookup.Errand>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
