// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import Journal
import Logging
import Reader
import System
import Testing
import Timekeeping

@testable import readerd

/// Real sockets, a loop, and an owner that answers as a test says.
@Suite struct ControlServerTests {
    private final class Owner: ControlServerOwner {
        var performed: [ControlRequest.Action] = []
        var peers: [ControlPeer] = []
        var tickets: [UInt64] = []
        /// Called while a lockdown is carried out.
        var meanwhile: () -> Void = {}
        func perform(_ action: ControlRequest.Action, for peer: ControlPeer, ticket: UInt64) -> ControlAnswer? {
            performed.append(action)
            peers.append(peer)
            if action == .door(.lockdownOn) { meanwhile() }
            if case .door(let order) = action, order.opening != nil {
                tickets.append(ticket)
                return nil
            }
            return .done
        }
    }

    /// Runs a loop with a server until `client` has done its part on another thread.
    private func serve(
        _ owner: Owner, limits: ClientLimiter.Limits = .init(), lateness: Duration = .seconds(TestTimeout.seconds),
        log lines: LoggedLines? = nil,
        then: @escaping (ControlServer, Reactor) -> Void = { _, _ in },
        client: @escaping @Sendable (_ path: String, _ reactor: Reactor) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        let reactor = try Reactor()
        let log = lines?.logger() ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = ControlServer(
            reactor, listener: try ControlListener.listen(at: path), log: log, limits: limits, lateness: lateness)
        try server.serve(owner)
        then(server, reactor)
        startThread {
            do { try client(path, reactor) } catch { Issue.record(error) }
            reactor.stop()
        }
        try reactor.run()
        server.close()
    }

    @Test func requestsAreAnsweredInOrderWithWhoAsked() throws {
        let owner = Owner()
        try serve(owner) { path, _ in
            let client = try BlockingClient(path)
            client.send("{\"lockdown\":\"on\"}\r\n\n{\"get\":\"status\",\"id\":\"2\"}\nnonsense\n")
            #expect(client.line() == #"{"ok":true}"#)
            #expect(client.line() == #"{"ok":true,"id":"2"}"#)
            #expect(client.line()?.hasPrefix(#"{"ok":false,"refused":"bad-request","why":"not JSON: "#) == true)
            // It goes on after that.
            #expect(client.ask(#"{"tamper":"reset"}"#) == #"{"ok":true}"#)
        }
        #expect(owner.performed == [.door(.lockdownOn), .status, .door(.tamperReset)])
        #expect(owner.peers.allSatisfy { $0 == ControlPeer(user: getuid(), process: getpid()) })
    }

    @Test func theSameIDIsCarriedOutOnce() throws {
        let owner = Owner()
        var server: ControlServer?
        try serve(owner, then: { made, _ in server = made }) { path, reactor in
            let (one, other) = (try BlockingClient(path), try BlockingClient(path))
            #expect(one.ask(#"{"lockdown":"on","id":"a"}"#) == #"{"ok":true,"id":"a"}"#)
            #expect(other.ask(#"{"lockdown":"on","id":"a"}"#) == #"{"ok":true,"id":"a"}"#)
            #expect(other.ask(#"{"lockdown":"off","id":"a"}"#)?.contains(#""refused":"id-reused""#) == true)
            // Without an id each is one of its own.
            #expect(one.ask(#"{"lockdown":"on"}"#) == #"{"ok":true}"#)
        }
        withExtendedLifetime(server) {}
        #expect(owner.performed == [.door(.lockdownOn), .door(.lockdownOn)])
    }

    /// Whatever waited while the loop was stopped: what opens or ends a protection is refused, and what secures, or
    /// only asks, is carried out.
    @Test func requestsThatHaveWaitedOpenNothing() throws {
        let owner = Owner()
        try serve(owner, lateness: .milliseconds(50)) { path, reactor in
            let client = try BlockingClient(path)
            _ = client.ask(#"{"get":"status"}"#)
            let requests = [
                #"{"unlock":"pulse","id":"a"}"#, #"{"unlock":"extended"}"#, #"{"unlock":"office-on"}"#,
                #"{"lockdown":"off"}"#, #"{"tamper":"reset"}"#, #"{"set-time":1795262400}"#, #"{"provisioning":300}"#,
                #"{"lockdown":"on"}"#, #"{"provisioning":0}"#, #"{"get":"status"}"#,
            ]
            stopped(reactor) { client.send(requests.joined(separator: "\n") + "\n") }
            for request in requests {
                let isLate = client.line()?.contains(#""refused":"late""#)
                #expect(isLate == !["\"on\"", ":0", "get"].contains { request.contains($0) }, "\(request)")
            }
        }
        #expect(owner.performed == [.status, .door(.lockdownOn), .timed(.provisioning, 0), .status])
    }

    /// Requests that are sent ahead wait for the answers to those before them, and are as old as they are.
    @Test func aRequestThatWaitsForTheOneBeforeItAges() throws {
        nonisolated(unsafe) let owner = Owner()
        nonisolated(unsafe) var server: ControlServer?
        try serve(owner, lateness: .milliseconds(50), then: { made, _ in server = made }) { path, reactor in
            let client = try BlockingClient(path)
            _ = client.ask(#"{"get":"status"}"#)
            client.send("{\"unlock\":\"pulse\"}\n{\"unlock\":\"pulse\"}\n")
            _ = try BlockingClient(path).ask(#"{"get":"status"}"#)
            usleep(60_000)
            reactor.perform { if let ticket = owner.tickets.first { server?.answer(ticket, .done) } }
            #expect(client.line() == #"{"ok":true}"#)
            #expect(client.line()?.contains(#""refused":"late""#) == true)
        }
        #expect(owner.performed.filter { $0 == .door(.pulse) }.count <= 1)
    }

    /// A late request is not remembered, so that it can be sent again; one that was answered is answered the same.
    @Test func aLateRequestCanBeSentAgain() throws {
        let owner = Owner()
        try serve(owner, lateness: .zero) { path, _ in
            let client = try BlockingClient(path)
            for _ in 0..<2 {
                #expect(client.ask(#"{"lockdown":"off","id":"a"}"#)?.contains(#""id":"a","refused":"late""#) == true)
            }
        }
        #expect(owner.performed.isEmpty)
    }

    /// The lines of the log that a user causes are bounded, and the rest is counted.
    @Test func aUsersLinesAreBounded() throws {
        let (owner, lines) = (Owner(), LoggedLines())
        try serve(owner, log: lines) { path, _ in
            let client = try BlockingClient(path)
            for _ in 0..<300 { _ = client.ask("nonsense") }
        }
        #expect(lines.all.split(separator: "\n").count == 120)
    }

    /// An answer that comes later goes to all who asked, and what they asked next waits behind it.
    @Test func aLaterAnswerKeepsTheOrder() throws {
        nonisolated(unsafe) let owner = Owner()
        nonisolated(unsafe) var server: ControlServer?
        try serve(owner, then: { made, _ in server = made }) { path, reactor in
            let (one, other) = (try BlockingClient(path), try BlockingClient(path))
            one.send("{\"unlock\":\"pulse\",\"id\":\"a\"}\n{\"get\":\"status\",\"id\":\"b\"}\n")
            // Asked by the other only after the loop has taken the first.
            other.send("{\"get\":\"status\"}\n")
            _ = other.line()
            other.send("{\"unlock\":\"pulse\",\"id\":\"a\"}\n")
            let third = try BlockingClient(path)
            _ = third.ask(#"{"get":"status"}"#)
            reactor.perform { if let ticket = owner.tickets.first { server?.answer(ticket, .refused(.logFull)) } }
            #expect(one.line()?.hasPrefix(#"{"ok":false,"id":"a","refused":"log-full""#) == true)
            #expect(one.line() == #"{"ok":true,"id":"b"}"#)
            #expect(other.line()?.hasPrefix(#"{"ok":false,"id":"a","refused":"log-full""#) == true)
        }
        #expect(owner.performed.filter { $0 == .door(.pulse) }.count == 1)
    }

    @Test func aLineThatIsTooLongEndsTheConnection() throws {
        let owner = Owner()
        try serve(owner) { path, _ in
            let client = try BlockingClient(path)
            client.send([UInt8](repeating: 0x20, count: ControlLimits.requestCount + 2))
            #expect(client.line()?.contains(#""refused":"too-long""#) == true)
            #expect(client.line() == nil)
            // The longest is taken.
            let other = try BlockingClient(path)
            let request = #"{"get":"status"}"#
            let padding = String(repeating: " ", count: ControlLimits.requestCount - request.utf8.count)
            #expect(other.ask(padding + request) == #"{"ok":true}"#)
        }
        #expect(owner.performed == [.status])
    }

    /// As many as there may be, idle: the one that was so for longest is told, and leaves for a newcomer.
    @Test func idleClientsGiveTheirPlaceToANewcomer() throws {
        let owner = Owner()
        try serve(owner) { path, _ in
            var clients: [BlockingClient] = []
            for _ in 0..<ControlLimits.clients {
                let client = try BlockingClient(path)
                #expect(client.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
                clients.append(client)
            }
            // The first is used again, so the second is the one that was idle for longest.
            #expect(clients[0].ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
            let newcomer = try BlockingClient(path)
            #expect(newcomer.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
            #expect(clients[1].line()?.contains(#""refused":"idle""#) == true)
            #expect(clients[1].line() == nil)
            for place in clients.indices where place != 1 {
                #expect(clients[place].ask(#"{"get":"status"}"#) == #"{"ok":true}"#, "\(place)")
            }
        }
    }

    /// Clients that keep their places: subscribers, as many as there may be, and those whose answer is to come.
    @Test func clientsAreBounded() throws {
        let owner = Owner()
        try serve(owner) { path, _ in
            var clients: [BlockingClient] = []
            for _ in 0..<ControlLimits.subscribers {
                let client = try BlockingClient(path)
                #expect(client.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"#)
                clients.append(client)
            }
            var client = try BlockingClient(path)
            #expect(client.ask(#"{"subscribe":"events"}"#)?.contains(#""refused":"too-many-subscribers""#) == true)
            #expect(client.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
            client.send("{\"unlock\":\"pulse\"}\n")
            clients.append(client)
            while clients.count < ControlLimits.clients {
                client = try BlockingClient(path)
                #expect(client.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
                client.send("{\"unlock\":\"pulse\"}\n")
                clients.append(client)
            }
            // The loop may see the newcomer before the last requests: then it takes the last one's place.
            var refused: String?
            for _ in 0..<1000 where refused?.contains(#""refused":"too-many-clients""#) != true {
                refused = try BlockingClient(path).ask(#"{"get":"status"}"#)
            }
            #expect(refused?.contains(#""refused":"too-many-clients""#) == true)
        }
    }

    @Test func whoAsksNothingForTooLongIsDismissed() throws {
        let owner = Owner()
        let lines = LoggedLines()
        var limits = ClientLimiter.Limits()
        limits.idle = .milliseconds(500)
        try serve(owner, limits: limits, log: lines) { path, _ in
            var subscriber = try BlockingClient(path)
            // One that is held up for so long before it asks is dismissed as well.
            let isSubscribed = try eventually {
                if subscriber.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"# { return true }
                subscriber = try BlockingClient(path)
                return false
            }
            #expect(isSubscribed)
            let idle = try BlockingClient(path)
            // A line that has no end is no use of the place.
            idle.send("{\"get\":")
            #expect(idle.line()?.contains(#""refused":"idle""#) == true)
            #expect(idle.line() == nil)
            #expect(subscriber.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
        }
        #expect(
            lines.all.contains(
                "<6>control: uid \(getuid()) (process \(getpid())) dismissed: idle for 0.5 seconds\n"))
    }

    /// One that reads nothing is dropped after a while, long before it is owed too much, and the log has it once.
    @Test func aSubscriberThatDoesNotReadIsDropped() throws {
        nonisolated(unsafe) var server: ControlServer?
        let owner = Owner()
        let lines = LoggedLines()
        var limits = ClientLimiter.Limits()
        limits.stall = .milliseconds(50)
        try serve(owner, limits: limits, log: lines, then: { made, _ in server = made }) { path, reactor in
            let (slow, other) = (try BlockingClient(path), try BlockingClient(path))
            #expect(slow.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"#)
            // More than a socket's buffer has room for, less than is kept for a client.
            let event = "{\"detail\":\"" + String(repeating: "x", count: 1000) + "\"}"
            reactor.perform {
                for _ in 0..<2000 where server?.hasUnread == false { server?.publish(event, to: .events) }
            }
            while lines.all.isEmpty { #expect(other.ask(#"{"get":"status"}"#) == #"{"ok":true}"#) }
        }
        let warning = "<4>control: uid \(getuid()) (process \(getpid())) does not read: dropped with "
        #expect(lines.all.hasPrefix(warning) && lines.all.filter { $0 == "\n" }.count == 1)
    }

    /// One that the events of its own request have dropped is not dropped a second time at the end of its turn.
    @Test func aSubscriberThatItsOwnRequestHasDroppedIsDroppedOnce() throws {
        let owner = Owner()
        let lines = LoggedLines()
        let event = "{\"detail\":\"" + String(repeating: "x", count: 1000) + "\"}"
        nonisolated(unsafe) var server: ControlServer?
        owner.meanwhile = { for _ in 0..<2000 { server?.publish(event, to: .events) } }
        try serve(owner, log: lines, then: { made, _ in server = made }) { path, _ in
            let (slow, other) = (try BlockingClient(path), try BlockingClient(path))
            #expect(slow.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"#)
            slow.send("{\"lockdown\":\"on\"}\n")
            while !lines.all.contains("does not read") { #expect(other.ask(#"{"get":"status"}"#) == #"{"ok":true}"#) }
            #expect(other.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
        }
        #expect(lines.all.split(separator: "\n").count { $0.contains("does not read: dropped with ") } == 1)
    }

    /// A client that has closed its sending direction still gets its answers, as with `printf … | nc -U`.
    @Test func aClientThatHasEndedItsSendingIsAnswered() throws {
        let owner = Owner()
        try serve(owner) { path, _ in
            let client = try BlockingClient(path)
            client.send("{\"get\":\"status\"}\n{\"get\":\"stat")
            #expect(shutdown(client.descriptor, Int32(SHUT_WR)) == 0)
            #expect(client.line() == #"{"ok":true}"#)
            #expect(client.line() == nil)
        }
    }

    @Test func eachStreamGoesToItsOwnSubscribers() throws {
        nonisolated(unsafe) var server: ControlServer?
        let owner = Owner()
        try serve(owner, then: { made, _ in server = made }) { path, reactor in
            let events = try BlockingClient(path)
            let notices = try BlockingClient(path)
            #expect(events.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"#)
            #expect(notices.ask(#"{"subscribe":"notices"}"#) == #"{"ok":true}"#)
            reactor.perform {
                server?.publish(#"{"text":"first"}"#, to: .notices)
                server?.publish(#"{"sequence":7}"#, to: .events)
                server?.publish(#"{"text":"second"}"#, to: .notices)
            }
            #expect(events.line() == #"{"event":{"sequence":7}}"#)
            #expect(notices.line() == #"{"notice":{"text":"first"}}"#)
            #expect(notices.line() == #"{"notice":{"text":"second"}}"#)
            // Nothing of another stream precedes the answer.
            #expect(events.ask(#"{"lockdown":"on"}"#) == #"{"ok":true}"#)
        }
        #expect(owner.performed == [.subscribe(.events), .subscribe(.notices), .door(.lockdownOn)])
    }

    @Test func eventsGoToSubscribersAndASlowOneIsDropped() throws {
        nonisolated(unsafe) var server: ControlServer?
        let owner = Owner()
        try serve(owner, then: { made, _ in server = made }) { path, reactor in
            let (reading, slow, other) = (
                try BlockingClient(path), try BlockingClient(path), try BlockingClient(path)
            )
            for client in [reading, slow] { #expect(client.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"#) }
            #expect(other.ask(#"{"get":"status"}"#) == #"{"ok":true}"#)
            let event = "{\"detail\":\"" + String(repeating: "x", count: 1000) + "\"}"
            // More than the socket's buffer and what is kept for a client together.
            for _ in 0..<2000 {
                reactor.perform { server?.publish(event, to: .events) }
                #expect(reading.line() == "{\"event\":\(event)}")
            }
            var count = 0
            while slow.line() != nil { count += 1 }
            #expect(count < 2000)
            // Who did not subscribe got nothing but its answers.
            #expect(other.ask(#"{"get":"metrics"}"#) == #"{"ok":true}"#)
        }
    }

    /// At the end what was not answered is, and nobody hangs.
    @Test func theEndAnswersWhatIsUnderWay() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        let reactor = try Reactor()
        let owner = Owner()
        let server = try ControlServer(
            reactor, listener: ControlListener.listen(at: path),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try server.serve(owner)
        let client = try BlockingClient(path)
        client.send("{\"unlock\":\"pulse\",\"id\":\"z\"}\n")
        nonisolated(unsafe) let probe = try BlockingClient(path)
        startThread {
            _ = probe.ask(#"{"get":"status"}"#)
            reactor.stop()
        }
        try reactor.run()
        server.close()
        #expect(client.line()?.hasPrefix(#"{"ok":false,"id":"z","refused":"inactive""#) == true)
        #expect(client.line() == nil)
        withExtendedLifetime(owner) {}
    }
}

@Suite struct ControlListenerTests {
    @Test func theSocketIsTheOwnersAndTheGroups() throws {
        let directory = try TemporaryDirectory()
        let listener = try ControlListener.listen(at: directory.path + "/s")
        #expect(directory.mode(of: "s") == 0o660)
        withExtendedLifetime(listener) {}
    }

    @Test func aLivingOneIsNeverTakenOver() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        let living = try ControlListener.listen(at: path)
        #expect(throws: ReaderdError.self) { try ControlListener.listen(at: path) }
        // Also without the lock: it may be another program's.
        unlink(path + ".lock")
        #expect(
            throws: ReaderdError.failed(
                "\(path): another readerd listens; stop it, or name another socket with --control")
        ) { try ControlListener.listen(at: path) }
        _ = try BlockingClient(path)
        withExtendedLifetime(living) {}
    }

    @Test func aDeadOneIsReplaced() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        // A socket that nobody listens at, as kill -9 leaves it.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        close(descriptor)
        do {
            let listener = try ControlListener.listen(at: path)
            _ = try BlockingClient(path)
            withExtendedLifetime(listener) {}
        }
        // It goes with its owner.
        #expect(directory.names() == ["s.lock"])
    }

    @Test func whatIsNoSocketStays() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("s", "precious")
        #expect(
            throws: ReaderdError.failed("\(path): not a socket; remove it, or name another with --control")
        ) { try ControlListener.listen(at: path) }
        #expect(directory.names().contains("s"))
        #expect(throws: ReaderdError.self) { try ControlListener.listen(at: directory.path + "/none/s") }
        #expect(throws: ReaderdError.self) {
            try ControlListener.listen(at: directory.path + "/" + String(repeating: "x", count: 120))
        }
    }
}
