// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A connection of an app, or of a stranger.
struct SimBLEConnection: Sendable {
    /// The maximum number of events that are kept for a connection that is silent yet; older ones are dropped.
    static let keptLimit = 256
    /// The maximum number of octets behind a request that is not answered yet.
    static let waitingLimit = SimBLEFramer.requestLimit

    /// The use of a connection.
    enum Stage: Equatable {
        /// Nothing was received: a request, or a listener for events.
        case silent(until: Instant)
        /// A request came first; events follow its answer.
        case asking
        /// It receives events.
        case listening
    }

    var stage: Stage
    var framer = SimBLEFramer()
    /// True after a request with the token.
    var hasToken = false
    /// True while a request waits for its answer. Further ones wait in the framer.
    var isBusy = false
    /// The time by which the frame that has begun must be complete.
    var frameEnds: Instant?
    /// The events of the silent stage.
    var kept: [[UInt8]] = []

    init(stage: Stage) { self.stage = stage }

    /// The time of the next check.
    var deadline: Instant? {
        guard case .silent(let until) = stage else { return isBusy ? nil : frameEnds }
        return until
    }

    mutating func receive(_ octets: Span<UInt8>, at now: Instant) {
        if case .silent = stage {
            stage = .asking
            kept.removeAll()
        }
        framer.append(octets)
    }
}

/// A request that waits for its answer.
struct SimBLETicket: Sendable {
    var connection: SimBLEConnectionID
    var operation: SimBLEOperation
}

extension SimBLEServer {
    /// Handles the complete requests of a connection, one at a time.
    mutating func serve(_ id: SimBLEConnectionID, at now: Instant) {
        while connections[id]?.isBusy == false {
            do throws(SimBLEFault) {
                guard let payload = try connections[id]?.framer.next() else { break }
                connections[id]?.frameEnds = nil
                let request = try SimBLERequest(payload.span, token: token)
                connections[id]?.hasToken = true
                connections[id]?.isBusy = true
                execute(request, SimBLETicket(connection: id, operation: request.operation), at: now)
            } catch {
                refuse(id, error, at: now)
            }
        }
        guard let connection = connections[id] else { return }
        if connection.framer.count > SimBLEConnection.waitingLimit {
            close(id, "more than \(SimBLEConnection.waitingLimit) octets behind a request", at: now)
        } else if connection.framer.isPartial, connection.frameEnds == nil {
            connections[id]?.frameEnds = now + SimBLEServer.frameTime
        }
    }

    /// A request that is not understood is answered if its token is right; a peer without it is disconnected, as is one
    /// whose frames cannot be found any more.
    private mutating func refuse(_ id: SimBLEConnectionID, _ fault: SimBLEFault, at now: Instant) {
        let why: String
        var ends = true
        switch fault {
        case .token: why = "wrong token"
        case .tooLong(let count): why = "a frame of \(count) octets; \(SimBLEFramer.requestLimit) are the most"
        case .notCanonical: why = "no canonical CBOR map"
        case .malformed(let what): (why, ends) = ("not of the schema: \(what)", false)
        case .operation(let number): (why, ends) = ("version 1 has no operation \(number)", false)
        }
        let code = fault == .token ? SimBLECode.unauthorized : .malformed
        effects.append(.send(id, SimBLEAnswer.refused(nil, code, why).frame))
        if ends { return close(id, why, at: now) }
        connections[id]?.hasToken = true
        connections[id]?.stage = .listening
        reportRefusal(why, at: now)
    }

    mutating func close(_ id: SimBLEConnectionID, _ why: String, at now: Instant) {
        reportRefusal(why, at: now)
        effects.append(.close(id))
        disconnected(id, at: now)
    }

    /// Applies the deadlines of a connection.
    mutating func connectionDue(_ id: SimBLEConnectionID, at now: Instant) {
        guard let connection = connections[id], let deadline = connection.deadline, now >= deadline else { return }
        guard case .silent = connection.stage else { return close(id, "a frame that does not end", at: now) }
        connections[id]?.stage = .listening
        connections[id]?.kept.removeAll()
        for frame in connection.kept { effects.append(.send(id, frame)) }
    }

    /// Answers a request, and handles the next of its connection.
    mutating func answer(_ ticket: SimBLETicket, _ answer: SimBLEAnswer, at now: Instant) {
        guard connections[ticket.connection]?.isBusy == true else { return }
        connections[ticket.connection]?.isBusy = false
        connections[ticket.connection]?.stage = .listening
        effects.append(.send(ticket.connection, answer.frame))
        answered.append(ticket.connection)
    }

    mutating func refuse(_ ticket: SimBLETicket, _ code: SimBLECode, _ reason: String, at now: Instant) {
        answer(ticket, .refused(ticket.operation, code, reason), at: now)
    }

    /// Sends an event to all that listen.
    mutating func broadcast(_ event: SimBLEEvent) {
        let frame = event.frame
        for id in connections.keys.sorted() {
            switch connections[id]?.stage {
            case .listening: effects.append(.send(id, frame))
            case .silent:
                if let kept = connections[id]?.kept, kept.count >= SimBLEConnection.keptLimit {
                    connections[id]?.kept.removeFirst()
                }
                connections[id]?.kept.append(frame)
            case .asking, nil: break
            }
        }
    }
}
