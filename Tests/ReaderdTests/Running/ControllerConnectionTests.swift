// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Logging
import Peripheral
import System
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// A controller whose host has a name: the loop, which ends pulses, does not wait for the name service.
@Suite struct ControllerConnectionTests {
    private static let name = TransportName.tcpClient(host: "controller.example", port: 6402)

    /// Hears what became of it, and ends the loop.
    private final class Owner: ControllerConnectionOwner {
        let reactor: Reactor
        var told: [String] = []
        var end = 1

        init(_ reactor: Reactor) { self.reactor = reactor }

        func controllerReached() { receive("reached") }
        func controllerSent(_ packet: Span<UInt8>) {}
        func controllerPaused() {}
        func controllerLost(_ why: any Error) { receive("lost: \(why)") }
        func controllerUnreachable(_ why: any Error) { receive("\(why)") }

        private func receive(_ text: String) {
            told.append(text)
            if told.count == end { reactor.stop() }
        }
    }

    /// A name service that answers when it is let.
    private final class NameService: Sendable {
        private let ends: (CInt, CInt)
        let asked = Mutex<[pthread_t]>([])
        let wasLet = Mutex<Bool>(false)

        init() throws {
            var pair: [CInt] = [-1, -1]
            try #require(pipe(&pair) == 0)
            ends = (pair[0], pair[1])
        }

        deinit {
            close(ends.0)
            close(ends.1)
        }

        func answer() { write(ends.1, "!", 1) }

        /// Waits to be let, at most for ten seconds: that is what a loop would take that waited for it.
        func wait() {
            asked.withLock { $0.append(pthread_self()) }
            var end = pollfd(fd: ends.0, events: Int16(POLLIN), revents: 0)
            let count = poll(&end, 1, 10_000)
            wasLet.withLock { $0 = count == 1 }
        }
    }

    private let reactor: Reactor
    private let owner: Owner
    private let directory: TemporaryDirectory
    private let controller: UnixListener

    init() throws {
        reactor = try Reactor()
        owner = Owner(reactor)
        directory = try TemporaryDirectory()
        controller = try ControlListener.listen(at: directory.path + "/controller")
    }

    private func connection(
        lookupTimeout: Duration = .seconds(60), opening: ControllerConnection.Opening? = nil,
        resolving: @escaping HostLookup.Resolving
    ) -> ControllerConnection {
        let place = TransportName.unix(path: directory.path + "/controller")
        let connection = ControllerConnection(
            reactor, name: Self.name, takesAdapter: false, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            opening: opening ?? { _, _ in try HCITransport.open(place) },
            lookup: HostLookup(reactor: reactor, resolving: resolving), lookupTimeout: lookupTimeout)
        connection.owner = owner
        return connection
    }

    @Test func aNameServiceThatDoesNotAnswerHoldsNothingUp() throws {
        let service = try NameService()
        let connection = connection { name throws(TransportError) in
            service.wait()
            return [name]
        }
        connection.open()
        // Twice: the second is the first's.
        connection.open()
        var turns = 0
        for turn in 1...5 {
            reactor.schedule(at: reactor.now + .milliseconds(turn)) {
                turns += 1
                if turns == 5 { service.answer() }
            }
        }
        try reactor.run()
        #expect(turns == 5 && owner.told == ["reached"])
        #expect(service.wasLet.withLock { $0 }, "the loop went on meanwhile")
        let threads = service.asked.withLock { $0 }
        #expect(threads.count == 1 && pthread_equal(threads[0], pthread_self()) == 0)
    }

    /// It is told after a while, once, and when the answer comes it is taken.
    @Test func aNameServiceThatIsSlowIsAFaultUntilItAnswers() throws {
        let service = try NameService()
        let connection = connection(lookupTimeout: .milliseconds(5)) { name throws(TransportError) in
            service.wait()
            return [name]
        }
        owner.end = 2
        connection.open()
        reactor.schedule(at: reactor.now + .milliseconds(50)) { service.answer() }
        try reactor.run()
        #expect(
            owner.told == [
                "tcp-client:controller.example:6402: host not found: Temporary failure in name resolution; check "
                    + "the name and the name service", "reached",
            ])
        #expect(service.asked.withLock { $0.count } == 1)
    }

    /// A name without an address is looked up again; a refusing address is reported by the configured name.
    @Test func everyAttemptAsksAgainAndTriesEachAddress() throws {
        let questions = Mutex(0)
        var tried: [TransportName] = []
        let place = TransportName.unix(path: directory.path + "/controller")
        let connection = connection(
            opening: { name, _ in
                tried.append(name)
                guard tried.count == 4 else {
                    throw TransportError(transport: name, fault: .cannotConnect(code: ECONNREFUSED))
                }
                return try HCITransport.open(place)
            },
            resolving: { name throws(TransportError) in
                let number = questions.withLock { number in
                    number += 1
                    return number
                }
                if number == 1 { throw TransportError(transport: name, fault: .unknownHost(code: EAI_NONAME)) }
                return ["192.0.2.1", "2001:db8::1"].map { .tcpClient(host: $0, port: 6402) }
            })
        owner.end = 3
        connection.open()
        try reactor.run()
        #expect(
            owner.told == [
                "tcp-client:controller.example:6402: host not found: Name or service not known; check the name and "
                    + "the name service",
                "tcp-client:controller.example:6402: cannot connect: Connection refused; start the controller, or "
                    + "check the address",
                "reached",
            ])
        let four = TransportName.tcpClient(host: "192.0.2.1", port: 6402)
        let six = TransportName.tcpClient(host: "2001:db8::1", port: 6402)
        #expect(tried == [four, six, four, six])
        #expect(questions.withLock { $0 } == 3)
    }

    /// An address is no question to anybody.
    @Test func anAddressIsNotLookedUp() throws {
        for (text, asks) in [
            ("tcp-client:127.0.0.1:1", false), ("tcp-client:[::1]:1", false), ("tcp-client:[fe80::1%lo]:1", false),
            ("tcp-client:localhost:1", true), ("unix:/run/x", false), ("hci-socket:0", false),
        ] {
            #expect(try TransportName(text).hasHostName == asks, "\(text)")
        }
        #expect(try TransportName("hci-socket:0").resolved() == [.hciSocket(0)])
        let found = try TransportName("tcp-client:localhost:6402").resolved()
        #expect(found.contains(.tcpClient(host: "127.0.0.1", port: 6402)), "\(found)")
        #expect(!found.contains { $0.hasHostName })
        let unknown = TransportName.tcpClient(host: "256.1.1.1.invalid", port: 1)
        let error = #expect(throws: TransportError.self) { try unknown.resolved() }
        guard case .unknownHost? = error?.fault else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
