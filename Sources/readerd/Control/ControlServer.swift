// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import System
import Timekeeping

/// Requests of the control socket to its process.
protocol ControlServerOwner: AnyObject {
    /// Carries out the action. Returns nil if the answer follows by `ControlServer.answer` with this ticket.
    func perform(_ action: ControlRequest.Action, for peer: ControlPeer, ticket: UInt64) -> ControlAnswer?
}

/// The control socket with its clients, requests and answers. On the reactor's thread; never blocks.
final class ControlServer {
    private struct Requester {
        var client: Int
        var id: String?
    }

    /// A request whose answer is pending, with all clients that sent it.
    private struct Pending {
        var key: IdempotencyCache.Key?
        var requesters: [Requester]
    }

    private let reactor: Reactor
    private let listener: UnixListener
    private let log: Logger
    /// The lines about each user.
    private let paced: PacedLog
    private var clients: [Int: ControlClient] = [:]
    private var nextClient = 0
    private var nextTicket: UInt64 = 0
    private var pending: [UInt64: Pending] = [:]
    private var memory = IdempotencyCache()
    private let lateness: Duration
    private var places: ClientLimiter
    private lazy var timer = reactor.timer { [weak self] in self?.dismissOverdue() }
    private weak var owner: (any ControlServerOwner)?

    /// The maximum number of lines of the log about one user within a minute: more than people and monitors cause.
    private static let linesPerMinute = 120
    /// The time at the end for clients to read their last lines.
    private static let closeTimeoutMilliseconds: Int32 = 200

    /// Clients wait at `listener` until `serve`.
    init(
        _ reactor: Reactor, listener: UnixListener, log: Logger, limits: ClientLimiter.Limits = .init(),
        lateness: Duration = Lateness.limit
    ) {
        self.reactor = reactor
        self.lateness = lateness
        places = ClientLimiter(limits)
        self.listener = listener
        self.log = log
        paced = PacedLog(log, reactor, limit: ControlServer.linesPerMinute)
    }

    /// Serves clients once the reactor runs; `owner` carries out their requests.
    func serve(_ owner: any ControlServerOwner) throws(SystemError) {
        self.owner = owner
        try listener.start(reactor) { [log] error in
            log.error("control: no connections accepted for a while: \(error)")
        } connected: { [weak self] descriptor, peer in
            self?.accept(ControlClient(descriptor, peer: peer))
        }
    }

    // MARK: Clients

    private func accept(_ client: ControlClient) {
        let number = nextClient
        nextClient += 1
        switch places.enter(number, user: client.peer.user, at: reactor.now) {
        case .free: break
        case .evicting(let idle): dismiss(idle, "idle, place needed")
        case .full:
            let reason = ControlAnswer.Refusal.tooManyClients.text
            paced.log(.warning, about: client.subject, "\(client.subject) refused: \(reason)")
            return client.send(ControlAnswer.refused(.tooManyClients).line(id: nil))
        }
        clients[number] = client
        do throws(SystemError) {
            try client.socket.watch(on: reactor) { [weak self] in self?.serve(number) }
        } catch {
            log.warning("control: \(error)")
            forget(number)
        }
        setTimer()
    }

    /// Closes an idle client's connection with a reason.
    private func dismiss(_ number: Int, _ why: String) {
        guard let client = clients[number] else { return }
        paced.log(.info, about: client.subject, "\(client.subject) (process \(client.peer.process)) dismissed: \(why)")
        client.send(ControlAnswer.refused(.idle).line(id: nil))
        forget(number)
    }

    private func forget(_ number: Int) {
        clients[number] = nil
        places.leave(number)
    }

    // MARK: Time

    private func setTimer() {
        guard let deadline = places.nextDeadline else { return }
        // A timer that fires too early is rescheduled then; cheaper than moving it with each request.
        if !timer.isPending || timer.deadline > deadline { timer.reschedule(at: deadline) }
    }

    private func dismissOverdue() {
        for (number, isStalled) in places.overdue(at: reactor.now) {
            guard isStalled else {
                dismiss(number, "idle for \(places.limits.idle)")
                continue
            }
            if let client = clients[number] { warnOfUnread(client) }
            forget(number)
        }
        setTimer()
    }

    private func warnOfUnread(_ client: ControlClient) {
        paced.log(
            .warning, about: client.subject,
            """
            \(client.subject) (process \(client.peer.process)) does not read: dropped with \
            \(client.socket.waitingCount) octets unread
            """)
    }

    private func serve(_ number: Int) {
        guard let client = clients[number] else { return }
        client.receive()
        advance(client, number)
    }

    private func advance(_ client: ControlClient, _ number: Int) {
        client.socket.flush()
        while client.nextLine({ request($0, client, number) }) != nil {}
        if client.socket.isTooLong, !client.hasBeenTold {
            client.hasBeenTold = true
            paced.log(.warning, about: client.subject, "\(client.subject): \(ControlAnswer.Refusal.tooLong.text)")
            client.send(ControlAnswer.refused(.tooLong).line(id: nil))
        }
        update(client, number)
    }

    private func update(_ client: ControlClient, _ number: Int) {
        // A notice within the client's own turn may have dropped it already.
        guard clients[number] === client else { return }
        client.updateInterest()
        if client.isDone {
            if client.socket.isOverfull {
                warnOfUnread(client)
            } else if client.isSubscribed {
                paced.log(.info, about: client.subject, "\(client.subject) disconnected")
            }
            forget(number)
        } else {
            places.update(
                number, awaitsAnswer: client.awaitsAnswer, isUnread: client.isWaiting, hasRead: client.socket.hasRead,
                at: reactor.now)
            client.socket.hasRead = false
        }
        setTimer()
    }

    // MARK: Requests

    private func request(_ line: [UInt8], _ client: ControlClient, _ number: Int) {
        // Empty lines are ignored.
        guard !line.isEmpty else { return }
        places.used(number, at: reactor.now)
        let request: ControlRequest
        do throws(ControlRequestError) { request = try ControlRequest(line: line) } catch {
            paced.log(.info, about: client.subject, "\(client.subject): \(error.problem)")
            return client.send(ControlAnswer.refused(.badRequest, error.problem).line(id: error.id))
        }
        let level = request.action.isChange ? Logger.Level.notice : .debug
        let subject = "\(client.subject) (process \(client.peer.process))"
        paced.log(level, about: client.subject, "\(subject): \(request.logLine)")
        let isLate = request.action.mayRelease && client.socket.lineAge > lateness
        let requester = Requester(client: number, id: request.id)
        guard request.action.isChange, let id = request.id else {
            if case .subscribe(let stream) = request.action {
                guard places.subscribe(number) else {
                    return client.send(ControlAnswer.refused(.tooManySubscribers).line(id: request.id))
                }
                client.streams.insert(stream)
            }
            guard !isLate else { return client.send(ControlAnswer.refused(.late).line(id: request.id)) }
            return perform(request.action, client, requester, key: nil)
        }
        let key = IdempotencyCache.Key(user: client.peer.user, id: id)
        // Not remembered: the same one may be sent again.
        if isLate, !memory.has(key, at: reactor.now) {
            return client.send(ControlAnswer.refused(.late).line(id: id))
        }
        switch memory.state(of: key, request.action, at: reactor.now) {
        case .new: perform(request.action, client, requester, key: key)
        case .answered(let answer): client.send(answer.line(id: id))
        case .other: client.send(ControlAnswer.refused(.idReused).line(id: id))
        case .full: client.send(ControlAnswer.refused(.busy).line(id: id))
        case .underWay:
            guard let ticket = pending.first(where: { $0.value.key == key })?.key else { return }
            client.awaitsAnswer = true
            pending[ticket]?.requesters.append(requester)
        }
    }

    private func perform(
        _ action: ControlRequest.Action, _ client: ControlClient, _ requester: Requester, key: IdempotencyCache.Key?
    ) {
        nextTicket += 1
        let ticket = nextTicket
        // Stored first, since the answer may come within the call.
        pending[ticket] = Pending(key: key, requesters: [requester])
        client.awaitsAnswer = true
        let answer = owner.map { $0.perform(action, for: client.peer, ticket: ticket) } ?? .refused(.inactive)
        if let answer { finish(ticket, answer, resumes: false) }
    }

    /// Answers a pending request.
    func answer(_ ticket: UInt64, _ answer: ControlAnswer) { finish(ticket, answer, resumes: true) }

    private func finish(_ ticket: UInt64, _ answer: ControlAnswer, resumes: Bool) {
        guard let request = pending.removeValue(forKey: ticket) else { return }
        if let key = request.key { memory.answer(key, answer, at: reactor.now) }
        for requester in request.requesters {
            guard let client = clients[requester.client] else { continue }
            client.awaitsAnswer = false
            client.send(answer.line(id: requester.id))
            // Not within another client's turn, nor its own.
            if resumes { advance(client, requester.client) }
        }
    }

    // MARK: Events and the end

    /// True if any client is sent this stream.
    func hasSubscribers(to stream: ControlRequest.Subscription) -> Bool {
        clients.values.contains { $0.streams.contains(stream) }
    }

    /// True if any client has unread data.
    var hasUnread: Bool { clients.values.contains { $0.isWaiting } }

    /// Sends a JSON object to all subscribers of a stream.
    func publish(_ object: String, to stream: ControlRequest.Subscription) {
        let line = ControlAnswer.line(object, of: stream)
        for (number, client) in clients where client.streams.contains(stream) {
            client.send(line)
            update(client, number)
        }
    }

    /// Ends the server: no client is accepted, pending requests are refused, and clients may read their last lines.
    func close() {
        listener.stop()
        timer.cancel()
        for ticket in pending.keys.sorted() { finish(ticket, .refused(.inactive), resumes: false) }
        let deadline = reactor.now + .milliseconds(Int(ControlServer.closeTimeoutMilliseconds))
        while clients.values.contains(where: { $0.isWaiting }), reactor.now < deadline {
            for client in clients.values { client.socket.flush() }
            if clients.values.contains(where: { $0.isWaiting }) { poll(nil, 0, 10) }
        }
        clients = [:]
    }
}
