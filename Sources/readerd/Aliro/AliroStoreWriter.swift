// SPDX-License-Identifier: Apache-2.0

import Crypto
import System

/// Writes the store to its file, and the changes of Matter, on its own thread: a slow disk delays no door. Of several
/// writes of the store the last is done; a change is done as a whole, before a store that was written after it.
final class AliroStoreWriter: @unchecked Sendable {
    /// Readable after a write.
    var descriptor: Int32 { mailbox.descriptor }
    private let mailbox: Mailbox
    private let state: StateDirectory
    private let store: String
    // With the mailbox's lock.
    private var waiting: SecretOctets?
    private var change: [AliroWrite]?
    private var isWriting = false
    private var isEnding = false
    private var results: Results = (nil, nil)

    /// The result of a write of the store, or of a change.
    enum Result: Equatable {
        case done
        /// With the reason. Writes of a change before the failed one are done.
        case failed(String)
    }

    /// The result of the last write of the store, and of the change; nil for those that have not ended.
    typealias Results = (store: Result?, change: Result?)

    /// Starts the thread; nil if the process has none left.
    init?(_ state: StateDirectory, store: String = AliroFiles.storeName) {
        guard let mailbox = Mailbox() else { return nil }
        (self.mailbox, self.state, self.store) = (mailbox, state, store)
        guard DetachedThread.start({ self.work() }) else { return nil }
    }

    /// Writes these octets, and wipes them.
    func write(_ octets: consuming [UInt8]) {
        let secret = SecretOctets(octets)
        mailbox.locked {
            waiting = secret
            mailbox.signalChange()
        }
    }

    /// Performs the writes of a change in order, until one fails; `takeResults` has the result. One at a time.
    func perform(_ writes: [AliroWrite]) {
        mailbox.locked {
            // It has another version of the store.
            if writes.contains(where: \.isStore) { waiting = nil }
            change = writes
            mailbox.signalChange()
        }
    }

    /// Removes and returns the results since the last call.
    func takeResults() -> Results {
        mailbox.hasWoken()
        return mailbox.locked { (results.store.take(), results.change.take()) }
    }

    /// Ends the thread after the waiting writes; false if the disk does not answer in time.
    func end(within duration: Duration) -> Bool {
        mailbox.locked {
            isEnding = true
            mailbox.signalChange()
            return mailbox.wait(duration) { waiting == nil && change == nil && !isWriting }
        }
    }

    private enum Work {
        case store(SecretOctets)
        case change([AliroWrite])
    }

    private func work() {
        while let work = next() {
            switch work {
            case .store(let secret):
                let result = write(store: secret)
                report { results.store = result }
            case .change(let writes):
                let result = change(writes)
                report {
                    results.change = result
                    if result == .done, writes.contains(where: \.isStore) { results.store = .done }
                }
            }
            mailbox.wakeReactor()
        }
    }

    private func report(_ result: () -> Void) {
        mailbox.locked {
            isWriting = false
            result()
            mailbox.signalChange()
        }
    }

    private func write(store secret: SecretOctets) -> Result {
        do throws(ReaderdError) { try state.replace(store, with: secret.octets) } catch { return .failed("\(error)") }
        return .done
    }

    private func change(_ writes: [AliroWrite]) -> Result {
        let files = MatterAliroFiles(state: state)
        var result = Result.done
        for write in writes where result == .done {
            do throws(ReaderdError) { try files.perform(write) } catch { result = .failed("\(error)") }
        }
        return result
    }

    /// Waits for the next write; nil at the end.
    private func next() -> Work? {
        mailbox.locked {
            mailbox.wait { waiting != nil || change != nil || isEnding }
            if let writes = change.take() {
                isWriting = true
                return .change(writes)
            }
            guard let secret = waiting.take() else { return nil }
            isWriting = true
            return .store(secret)
        }
    }
}
