import CSystem
import Glibc
import Logging
import Reactor
import Timekeeping

/// What the control socket asks of the process that has it.
protocol ControlServerOwner: AnyObject {
    /// Does what is asked. Nil if the answer comes later, by `ControlServer.answer` with this ticket.
    func perform(_ action: ControlRequest.Action, for peer: ControlPeer, ticket: UInt64) -> ControlAnswer?
}

/// The control socket: its clients, their requests and answers. On the reactor's thread; waits for nobody.
final class ControlServer {
    private struct Asker {
        var client: Int
        var id: String?
    }

    /// A request whose answer comes later, and all who asked for it.
    private struct Pending {
        var key: RequestMemory.Key?
        var askers: [Asker]
    }

    private let reactor: Reactor
    private let listener: ControlListener
    private let log: Logger
    private var watch: Watch?
    private var clients: [Int: ControlClient] = [:]
    private var nextClient = 0
    private var nextTicket: UInt64 = 0
    private var pending: [UInt64: Pending] = [:]
    private var memory = RequestMemory()
    weak var owner: (any ControlServerOwner)?

    /// How long no caller is taken after the process had no descriptor left for one.
    private static let pause = Duration.seconds(1)
    /// How long the end waits for clients to read their last lines.
    private static let farewellMilliseconds: Int32 = 200

    /// Listens; clients are served once the reactor runs.
    init(_ reactor: Reactor, listener: ControlListener, log: Logger) throws(SystemError) {
        self.reactor = reactor
        self.listener = listener
        self.log = log
        watch = try reactor.watch(listener.descriptor, .readable) { [weak self] _ in self?.acceptAll() }
    }

    // MARK: Clients

    private func acceptAll() {
        while true {
            let descriptor = listener.accept()
            guard descriptor >= 0 else {
                if descriptor != -EAGAIN { rest(errno: -descriptor) }
                return
            }
            var peer = ControlPeer(user: .max, process: 0)
            guard readerd_peer(descriptor, &peer.user, &peer.process) == 0 else {
                readerd_close(descriptor)
                continue
            }
            take(ControlClient(descriptor, peer: peer))
        }
    }

    private func take(_ client: ControlClient) {
        guard clients.count < ControlLimits.clients else {
            log.warning("control: \(client.peer.actor) refused: \(ControlAnswer.Refusal.tooManyClients.text)")
            return client.send(ControlAnswer.refused(.tooManyClients).line(id: nil))
        }
        let number = nextClient
        nextClient += 1
        clients[number] = client
        do throws(SystemError) {
            try client.watch(on: reactor) { [weak self] in self?.serve(number) }
        } catch {
            log.warning("control: \(error)")
            clients[number] = nil
        }
    }

    /// No descriptor is left: the socket stays readable, and looking at it again at once would help nobody.
    private func rest(errno: CInt) {
        log.error("control: nobody can connect for a while: \(String(cString: strerror(errno)))")
        try? watch?.modify([])
        reactor.schedule(at: reactor.now + ControlServer.pause) { [weak self] in try? self?.watch?.modify(.readable) }
    }

    private func serve(_ number: Int) {
        guard let client = clients[number] else { return }
        client.receive()
        advance(client, number)
    }

    private func advance(_ client: ControlClient, _ number: Int) {
        client.flush()
        while let line = client.nextLine() {
            // A line's end may be sent twice.
            if !line.isEmpty { request(line, client, number) }
        }
        if client.isTooLong, !client.hasBeenTold {
            client.hasBeenTold = true
            log.warning("control: \(client.peer.actor): \(ControlAnswer.Refusal.tooLong.text)")
            client.send(ControlAnswer.refused(.tooLong).line(id: nil))
        }
        settle(client, number)
    }

    private func settle(_ client: ControlClient, _ number: Int) {
        client.updateInterest()
        if client.isDone {
            if client.isLost, client.isSubscribed {
                log.info("control: \(client.peer.actor) is gone, or does not read")
            }
            clients[number] = nil
        }
    }

    // MARK: Requests

    private func request(_ line: [UInt8], _ client: ControlClient, _ number: Int) {
        let request: ControlRequest
        do throws(ControlRequestError) { request = try ControlRequest(line: line) } catch {
            log.info("control: \(client.peer.actor): \(error.problem)")
            return client.send(ControlAnswer.refused(.badRequest, error.problem).line(id: error.id))
        }
        log.log(
            level: request.action.isChange ? .notice : .debug,
            "control: \(client.peer.actor) (process \(client.peer.process)): \(request.line)")
        let asker = Asker(client: number, id: request.id)
        guard request.action.isChange, let id = request.id else {
            if request.action == .subscribe { client.isSubscribed = true }
            return perform(request.action, client, asker, key: nil)
        }
        let key = RequestMemory.Key(user: client.peer.user, id: id)
        switch memory.ask(key, request.action, at: reactor.now) {
        case .new: perform(request.action, client, asker, key: key)
        case .answered(let answer): client.send(answer.line(id: id))
        case .other: client.send(ControlAnswer.refused(.idReused).line(id: id))
        case .full: client.send(ControlAnswer.refused(.busy).line(id: id))
        case .underWay:
            guard let ticket = pending.first(where: { $0.value.key == key })?.key else { return }
            client.awaitsAnswer = true
            pending[ticket]?.askers.append(asker)
        }
    }

    private func perform(
        _ action: ControlRequest.Action, _ client: ControlClient, _ asker: Asker, key: RequestMemory.Key?
    ) {
        nextTicket += 1
        let ticket = nextTicket
        // Taken down first: the answer may come within the call.
        pending[ticket] = Pending(key: key, askers: [asker])
        client.awaitsAnswer = true
        let answer = owner.map { $0.perform(action, for: client.peer, ticket: ticket) } ?? .refused(.inactive)
        if let answer { finish(ticket, answer, resumes: false) }
    }

    /// The answer to a request that was under way.
    func answer(_ ticket: UInt64, _ answer: ControlAnswer) { finish(ticket, answer, resumes: true) }

    private func finish(_ ticket: UInt64, _ answer: ControlAnswer, resumes: Bool) {
        guard let request = pending.removeValue(forKey: ticket) else { return }
        if let key = request.key { memory.answer(key, answer, at: reactor.now) }
        for asker in request.askers {
            guard let client = clients[asker.client] else { continue }
            client.awaitsAnswer = false
            client.send(answer.line(id: asker.id))
            // Not from within another client's turn, nor its own.
            if resumes { advance(client, asker.client) }
        }
    }

    // MARK: Events and the end

    /// Whether anybody wants events.
    var hasSubscribers: Bool { clients.values.contains { $0.isSubscribed } }

    /// Sends an event, an object of JSON, to all who want them.
    func publish(event: String) {
        let line = ControlAnswer.eventLine(event)
        for (number, client) in clients where client.isSubscribed {
            client.send(line)
            settle(client, number)
        }
    }

    /// Ends: nobody is taken any more, what is under way is refused, and clients may read their last lines.
    func close() {
        watch?.cancel()
        watch = nil
        for ticket in pending.keys.sorted() { finish(ticket, .refused(.inactive), resumes: false) }
        let deadline = reactor.now + .milliseconds(Int(ControlServer.farewellMilliseconds))
        while clients.values.contains(where: { $0.isWaiting }), reactor.now < deadline {
            for client in clients.values { client.flush() }
            if clients.values.contains(where: { $0.isWaiting }) { poll(nil, 0, 10) }
        }
        clients = [:]
    }
}
