// SPDX-License-Identifier: Apache-2.0

import CardPolling
import CNFC
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import NFC

/// The state shared by two threads. A thread of the test acts as the front end.
@Suite struct NFCFrontEndQueueTests {
    private func taken(_ queue: NFCFrontEndQueue) -> [NFCFrontEndEvent] {
        var events: [NFCFrontEndEvent] = []
        queue.takeEvents(into: &events)
        return events
    }

    @Test func eventsComeInOrderAndOnce() throws {
        let queue = try NFCFrontEndQueue()
        #expect(!isReady(queue.descriptor, POLLIN))
        queue.post(.opened("a"))
        queue.post(.activated)
        queue.post(.released)
        #expect(isReady(queue.descriptor, POLLIN))
        #expect(taken(queue) == [.opened("a"), .activated, .released])
        #expect(!isReady(queue.descriptor, POLLIN))
        #expect(taken(queue) == [])
    }

    /// A delayed reactor finds the current state: the queue does not grow.
    @Test func whatNobodyTookDoesNotPileUp() throws {
        let queue = try NFCFrontEndQueue()
        for number in 0..<1000 {
            queue.post(.failed("\(number)"))
            queue.post(.opened("\(number)"))
            queue.post(.activated)
            queue.post(.released)
        }
        #expect(taken(queue) == [.opened("999"), .activated, .released])
    }

    @Test func aResponseEndsTheWait() throws {
        let queue = try NFCFrontEndQueue()
        let asked = Mutex<[NFCFrontEndEvent]>([])
        // The reactor's side: a thread of its own, which no other test can block.
        startThread {
            _ = becomes(queue.descriptor, POLLIN)
            let events = taken(queue)
            asked.withLock { $0 = events }
            // The response to another command, and the second one to the same command: dropped.
            queue.respond([9], to: 2)
            queue.respond([3], to: 1)
            queue.respond([4], to: 1)
        }
        #expect(queue.exchange([1, 2], within: .seconds(TestTimeout.seconds)) == [3])
        #expect(asked.withLock { $0 } == [.command([1, 2], number: 1)])
        queue.respond([5], to: 1)
        #expect(queue.exchange([7], within: .zero) == nil)
    }

    @Test func aReaderThatDoesNotAnswerEndsTheWait() throws {
        let queue = try NFCFrontEndQueue()
        #expect(queue.exchange([1], within: .milliseconds(1)) == nil)
        // A late response is dropped, and is not taken as the response to the next command.
        queue.respond([1], to: 1)
        #expect(queue.exchange([2], within: .milliseconds(1)) == nil)
    }

    /// A command that waited while the process was stopped: nobody waits for its response any longer.
    @Test func aCommandWithoutAWaitIsNotTaken() throws {
        let queue = try NFCFrontEndQueue()
        #expect(queue.exchange([1], within: .zero) == nil)
        queue.post(.released)
        #expect(taken(queue) == [.released])
    }

    @Test func theEndEndsEveryWait() throws {
        let queue = try NFCFrontEndQueue()
        queue.end()
        #expect(queue.isEnding)
        #expect(queue.exchange([1], within: .seconds(20)) == nil)
        queue.pause(.seconds(20))
        #expect(!queue.waitForEnd(.zero))
        queue.hasFinished()
        #expect(queue.waitForEnd(.zero))
    }
}

/// The front end itself, on device files without a chip. With a chip it is tested in `Tests/Interop`.
@Suite struct NFCFrontEndTests {
    private func first(_ connection: String) throws -> NFCFrontEndEvent? {
        let frontEnd = try NFCFrontEnd(connection: connection)
        var events: [NFCFrontEndEvent] = []
        #expect(becomes(frontEnd.descriptor, POLLIN))
        frontEnd.takeEvents(into: &events)
        #expect(frontEnd.close(within: TestTimeout.milliseconds))
        return events.first
    }

    @Test func aDeviceThatIsNotThereIsToldWithItsName() throws {
        #expect(
            try first("pn532_uart:/dev/no-such-port") == .failed("/dev/no-such-port: no such device"))
    }

    @Test func aDeviceThatIsNoChip() throws {
        #expect(
            try first("pn532_uart:/dev/null")
                == .failed(
                    "no answer from a chip at pn532_uart:/dev/null: check power, wiring and mode switches"))
    }

    @Test func aConnectionThatNoDriverKnows() throws {
        #expect(
            try first("no_such_driver:x")
                == .failed("no answer from a chip at no_such_driver:x: check power, wiring and mode switches"))
        let long = String(repeating: "a", count: 5000)
        #expect(
            try first(long)
                == .failed("no answer from a chip at \(long): check power, wiring and mode switches"))
    }

    /// libnfc keeps one list of drivers for the process: closing one front end used to remove it while another was
    /// opening.
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

    /// Never longer than an exchange with the chip allows: libnfc would end the process.
    @Test func theLongestResponseFits() {
        // PN532 user manual, 7: 265 octets of data per frame, of which two are direction and code.
        #expect(NFCFrontEnd.responseLimit <= 262)
    }
}
