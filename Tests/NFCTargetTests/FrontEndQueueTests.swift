import CLinux
import CNFC
import Synchronization
import Testing

@testable import NFCTarget

/// What two threads share. The front end's side is played by a thread of the test's.
@Suite struct FrontEndQueueTests {
    private func taken(_ queue: FrontEndQueue) -> [FrontEndEvent] {
        var events: [FrontEndEvent] = []
        queue.takeEvents(into: &events)
        return events
    }

    @Test func eventsComeInOrderAndOnce() throws {
        let queue = try FrontEndQueue()
        #expect(readerd_octets_waiting(queue.descriptor) <= 0)
        queue.post(.opened("a"))
        queue.post(.activated)
        queue.post(.released)
        #expect(taken(queue) == [.opened("a"), .activated, .released])
        #expect(taken(queue) == [])
    }

    /// A reactor that is held up finds what counts now: the queue does not grow.
    @Test func whatNobodyTookDoesNotPileUp() throws {
        let queue = try FrontEndQueue()
        for number in 0..<1000 {
            queue.post(.failed("\(number)"))
            queue.post(.opened("\(number)"))
            queue.post(.activated)
            queue.post(.released)
        }
        #expect(taken(queue) == [.opened("999"), .activated, .released])
    }

    @Test func aResponseEndsTheWait() async throws {
        let queue = try FrontEndQueue()
        async let response = Task.detached { queue.exchange([1, 2], within: .seconds(20)) }.value
        while true {
            let events = taken(queue)
            if case .command(let octets, let number)? = events.first {
                #expect(octets == [1, 2] && number == 1)
                // Another command's, and the second of two: dropped.
                queue.respond([9], to: number + 1)
                queue.respond([3], to: number)
                queue.respond([4], to: number)
                break
            }
            await Task.yield()
        }
        #expect(await response == [3])
        queue.respond([5], to: 1)
        #expect(queue.exchange([7], within: .zero) == nil)
    }

    @Test func aReaderThatDoesNotAnswerEndsTheWait() throws {
        let queue = try FrontEndQueue()
        #expect(queue.exchange([1], within: .milliseconds(1)) == nil)
        // The answer to it comes too late, and is none to the next.
        queue.respond([1], to: 1)
        #expect(queue.exchange([2], within: .milliseconds(1)) == nil)
    }

    @Test func theEndEndsEveryWait() throws {
        let queue = try FrontEndQueue()
        queue.end()
        #expect(queue.isEnding)
        #expect(queue.exchange([1], within: .seconds(20)) == nil)
        queue.pause(.seconds(20))
        #expect(!queue.waitForEnd(.zero))
        queue.hasFinished()
        #expect(queue.waitForEnd(.zero))
    }
}

/// The front end itself, on device files that are no chip. With a chip behind one it is tried in `Tests/Interop`.
@Suite struct FrontEndTests {
    private func first(_ connection: String) async throws -> FrontEndEvent? {
        let frontEnd = try FrontEnd(connection: connection)
        var events: [FrontEndEvent] = []
        while events.isEmpty {
            frontEnd.takeEvents(into: &events)
            await Task.yield()
        }
        #expect(frontEnd.close(within: 5000))
        return events.first
    }

    @Test func aDeviceThatIsNotThereIsToldWithItsName() async throws {
        #expect(
            try await first("pn532_uart:/dev/no-such-port") == .failed("/dev/no-such-port: there is no such device"))
    }

    @Test func aDeviceThatIsNoChip() async throws {
        #expect(
            try await first("pn532_uart:/dev/null")
                == .failed(
                    "no chip answers at pn532_uart:/dev/null: check its power, its wiring and its mode switches"))
    }

    @Test func aConnectionThatNoDriverKnows() async throws {
        #expect(
            try await first("no_such_driver:x")
                == .failed("no chip answers at no_such_driver:x: check its power, its wiring and its mode switches"))
        let long = String(repeating: "a", count: 5000)
        #expect(
            try await first(long)
                == .failed("no chip answers at \(long): check its power, its wiring and its mode switches"))
    }

    /// libnfc keeps a list of drivers for the whole process, which one front end's end took from under another one's opening.
    @Test func frontEndsThatComeAndGoDoNotDisturbEachOther() async {
        let opened = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<300).count { _ in
                        let library = readerd_nfc_create()
                        defer { readerd_nfc_destroy(library) }
                        return readerd_nfc_open(library, "no_such_driver:x") == 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(opened == 0)
    }

    /// Never more than an exchange with the chip holds: libnfc would end the process.
    @Test func theLongestResponseFits() {
        // PN532 user manual, 7: 265 octets of data per frame, of which two are direction and code.
        #expect(FrontEnd.responseLimit <= 262)
    }
}
