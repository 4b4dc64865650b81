// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import TestSupport
import Testing

@Suite struct MailboxTests {
    /// Shared state as its users hold it: accessed only with the lock held.
    private final class Shared: @unchecked Sendable {
        var number = 0
    }

    private func isReadable(_ mailbox: Mailbox) -> Bool { isReady(mailbox.descriptor, POLLIN) }

    @Test func descriptorIsReadableUntilTheReactorHasWoken() throws {
        let mailbox = try #require(Mailbox())
        #expect(!isReadable(mailbox))
        mailbox.wakeReactor()
        mailbox.wakeReactor()
        #expect(isReadable(mailbox))
        mailbox.hasWoken()
        #expect(!isReadable(mailbox))
        mailbox.hasWoken()
        mailbox.wakeReactor()
        #expect(isReadable(mailbox))
    }

    @Test func aWaitEndsWithItsCondition() throws {
        let mailbox = try #require(Mailbox())
        let shared = Shared()
        startThread {
            // Changes that do not satisfy the condition do not end the wait.
            for _ in 0..<100 {
                mailbox.locked {
                    shared.number += 1
                    mailbox.signalChange()
                }
            }
        }
        let seen = mailbox.locked {
            mailbox.wait { shared.number >= 50 }
            return shared.number
        }
        #expect(seen >= 50)
        #expect(mailbox.locked { mailbox.wait(.seconds(TestTimeout.seconds)) { shared.number == 100 } })
    }

    @Test func aWaitEndsWithItsTime() throws {
        let mailbox = try #require(Mailbox())
        for duration in [Duration.zero, .nanoseconds(1), .milliseconds(1), .seconds(-1)] {
            #expect(!mailbox.locked { mailbox.wait(duration) { false } })
        }
        // A condition that holds already needs no time.
        #expect(mailbox.locked { mailbox.wait(.zero) { true } })
    }
}
