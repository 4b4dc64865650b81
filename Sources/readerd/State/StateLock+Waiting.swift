// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc

extension StateLock {
    /// The time for which a process waits for a command that holds the lock. A key that is made and written to a slow
    /// card takes some tenths of a second; the service manager gives a start 30 s.
    static let patience = Duration.seconds(2)
    /// The pause between two attempts: the delay that a wait adds, short compared with a start.
    private static let pauseMilliseconds: Int32 = 10
    /// The number of pauses of a wait.
    static let pauses = Int(patience.components.seconds) * 1000 / Int(pauseMilliseconds)

    /// A pause between two attempts.
    static func pause() { poll(nil, 0, pauseMilliseconds) }

    /// Attempts to take the lock, and waits for a holder that is a command. A reader does not end by itself, so the
    /// result is at once that it holds the lock. Without a holder nothing waits.
    static func wait(
        _ state: StateDirectory, for name: CommandName, pause: () -> Void = StateLock.pause
    ) throws(ReaderdError) -> Attempt {
        for _ in 0..<pauses {
            let attempt = try attempt(state, for: name)
            guard case .held(let holder) = attempt, holder?.isReader != true else { return attempt }
            pause()
        }
        return try attempt(state, for: name)
    }

    /// Takes the lock, after a wait for a command that holds it.
    ///
    /// - Throws: An error that names the holder, and those of `attempt`.
    static func acquire(
        _ state: StateDirectory, for name: CommandName, pause: () -> Void = StateLock.pause
    ) throws(ReaderdError) -> StateLock {
        switch try wait(state, for: name, pause: pause) {
        case .taken(let lock): return lock
        case .held(let holder): throw Holder.refusal(holder, state)
        }
    }

    /// Returns the public key of the one that `find` finds, or `make` makes under the lock. A reader makes it too, at
    /// its start: while one holds the lock, `find` is repeated.
    static func publicKey(
        in state: StateDirectory, for name: CommandName, find: () throws(ReaderdError) -> P256PrivateKey?,
        make: () throws(ReaderdError) -> P256PrivateKey, pause: () -> Void = StateLock.pause
    ) throws(ReaderdError) -> P256PublicKey {
        var left = pauses
        while true {
            if let key = try find() { return key.publicKey }
            switch try attempt(state, for: name) {
            case .taken(let lock):
                defer { lock.release() }
                let key = if let key = try find() { key } else { try make() }
                return key.publicKey
            case .held(let holder):
                guard left > 0 else { throw Holder.refusal(holder, state) }
            }
            left -= 1
            pause()
        }
    }
}
