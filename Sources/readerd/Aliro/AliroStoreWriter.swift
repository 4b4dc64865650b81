// SPDX-License-Identifier: Apache-2.0

import Crypto
import System

/// Writes the store to its file, on its own thread: a slow disk delays no door. Of several writes the last is done.
final class AliroStoreWriter: @unchecked Sendable {
    /// Readable after a write.
    var descriptor: Int32 { mailbox.descriptor }
    private let mailbox: Mailbox
    private let state: StateDirectory
    // With the mailbox's lock.
    private var waiting: [UInt8]?
    private var isWriting = false
    private var isEnding = false
    private var fault: String?

    /// Starts the thread; nil if the process has none left.
    init?(_ state: StateDirectory) {
        guard let mailbox = Mailbox() else { return nil }
        (self.mailbox, self.state) = (mailbox, state)
        guard DetachedThread.start({ self.work() }) else { return nil }
    }

    /// Writes these octets, and wipes them.
    func write(_ octets: consuming [UInt8]) {
        mailbox.locked {
            if var previous = waiting.take() { wipeSecret(&previous) }
            waiting = octets
            mailbox.signalChange()
        }
    }

    /// The fault of the last write; nil if it succeeded.
    func result() -> String? {
        mailbox.hasWoken()
        return mailbox.locked { fault }
    }

    /// Ends the thread after the waiting write; false if the disk does not answer in time.
    func end(within duration: Duration) -> Bool {
        mailbox.locked {
            isEnding = true
            mailbox.signalChange()
            return mailbox.wait(duration) { waiting == nil && !isWriting }
        }
    }

    private func work() {
        while var octets = next() {
            var failure: String?
            do throws(ReaderdError) { try state.replace(AliroFiles.storeName, with: octets) } catch {
                failure = "\(error)"
            }
            wipeSecret(&octets)
            mailbox.locked {
                isWriting = false
                fault = failure
                mailbox.signalChange()
            }
            mailbox.wakeReactor()
        }
    }

    /// Waits for the next write; nil at the end.
    private func next() -> [UInt8]? {
        mailbox.locked {
            mailbox.wait { waiting != nil || isEnding }
            defer { waiting = nil }
            isWriting = waiting != nil
            return waiting
        }
    }
}
