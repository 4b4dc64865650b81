import Glibc
import Handover
import TestSupport
import Testing

@Suite struct HandoverTests {
    /// Shared state as its users hold it: accessed only with the lock held.
    private final class Shared: @unchecked Sendable {
        var number = 0
    }

    private func isReadable(_ handover: Handover) -> Bool { isReady(handover.descriptor, POLLIN) }

    @Test func descriptorIsReadableUntilTheReactorHasWoken() throws {
        let handover = try #require(Handover())
        #expect(!isReadable(handover))
        handover.wakeReactor()
        handover.wakeReactor()
        #expect(isReadable(handover))
        handover.hasWoken()
        #expect(!isReadable(handover))
        handover.hasWoken()
        handover.wakeReactor()
        #expect(isReadable(handover))
    }

    @Test func aWaitEndsWithItsCondition() throws {
        let handover = try #require(Handover())
        let shared = Shared()
        startThread {
            // Changes that do not satisfy the condition do not end the wait.
            for _ in 0..<100 {
                handover.locked {
                    shared.number += 1
                    handover.tellChange()
                }
            }
        }
        let seen = handover.locked {
            handover.wait { shared.number >= 50 }
            return shared.number
        }
        #expect(seen >= 50)
        #expect(handover.locked { handover.wait(.seconds(Patience.seconds)) { shared.number == 100 } })
    }

    @Test func aWaitEndsWithItsTime() throws {
        let handover = try #require(Handover())
        for duration in [Duration.zero, .nanoseconds(1), .milliseconds(1), .seconds(-1)] {
            #expect(!handover.locked { handover.wait(duration) { false } })
        }
        // A condition that holds already needs no time.
        #expect(handover.locked { handover.wait(.zero) { true } })
    }
}
