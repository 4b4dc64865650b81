import AccessProtocol
public import Crypto
public import Peripheral
public import Timekeeping

/// Phones that touch the reader. They are near, so there is no gate; what they show is decided about as any other.
extension AccessReader {
    /// What phones find from now on; whoever is there begins anew.
    public mutating func configureContactless(_ configuration: ContactlessConfiguration) {
        endTap()
        contactless.link = ContactlessLink(configuration: configuration)
    }

    /// A phone has come, or has left.
    public mutating func contactlessReset() {
        endTap()
        contactless.link.reset()
    }

    /// Takes a command APDU. The response is in `contactlessResponse`, or comes there when `answerOpenings`, `answerStorage`
    /// or `advance` was called.
    public mutating func receive<Port: PeripheralPort & ~Copyable>(
        command: Span<UInt8>, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        defer { door.settle(at: moment, configuration, into: &effects) }
        switch contactless.link.receive(command, at: moment.instant) {
        case .answered, .waiting: break
        case .opened: beginTap(at: moment.instant)
        case .closed: endTap()
        case .malformed: contactless.session?.session.reset()
        case .received: receiveMessage(port: &port, random: &random, at: moment)
        }
    }

    /// The response to the last command; empty while there is none.
    public var contactlessResponse: [UInt8] { contactless.link.response }

    /// When something of the contactless side is due.
    var contactlessDeadline: Instant? {
        Instant.earlier(contactless.link.nextDeadline, contactless.session?.life.nextDeadline)
    }

    mutating func advanceContactless(to now: Instant) {
        contactless.link.advance(to: now)
        guard let link = contactless.session, let deadline = link.life.nextDeadline, deadline <= now else { return }
        guard case .refuse(let refusal) = link.life.advance(to: now) else { return }
        tell(.refused(link.id, refusal))
        contactless.link.close()
        endTap()
    }

    private mutating func beginTap(at now: Instant) {
        endTap()
        guard !isShuttingDown else { return contactless.link.close() }
        let link = AccessLink(
            id: contactless.nextID(), peer: nil, mode: nil, times: configuration.linkTimes, at: now)
        contactless.session = link
        tell(.tapped(link.id))
    }

    /// The session's answer, if it has one yet, stays what it was: a phone that left changes nothing.
    mutating func endTap() {
        guard let link = contactless.session else { return }
        link.life.close()
        contactless.session = nil
        tell(.tapEnded(link.id))
    }

    private mutating func receiveMessage<Port: PeripheralPort & ~Copyable>(
        port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard let link = contactless.session else { return contactless.link.refuse(.conditionsNotSatisfied) }
        let message = contactless.link.message
        var start = 0
        while start < message.count {
            let end = min(start + MessageLimit.frame, message.count)
            receive(frame: message.span.extracting(start..<end), link, port: &port, random: &random, at: moment)
            start = end
        }
        // What the session met with silence is told here, since each command has a response.
        if contactless.link.isPending, !link.session.isExecuting {
            link.session.reset()
            contactless.link.refuse(.wrongData)
        }
    }

    /// Hands the session's answer to the link, whole: how the phone fetches it is the link's matter.
    mutating func sendContactlessAnswer(_ link: AccessLink, at now: Instant) {
        guard contactless.takeAnswer(of: link) else { return }
        links.answerLeft(link, at: now)
    }
}
