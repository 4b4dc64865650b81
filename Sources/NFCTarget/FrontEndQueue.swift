import Handover

/// What the reactor's thread and the front end's thread share: events one way, responses the other.
final class FrontEndQueue: @unchecked Sendable {
    private let handover: Handover
    private var events: [FrontEndEvent] = []
    /// The response, once `isAnswered`. Copied in and out: its memory is never shared, so that the reader need not make
    /// any for each.
    private var response: [UInt8] = []
    private var isAnswered = false
    /// The command that is waited for; 0 for none.
    private var awaited: UInt64 = 0
    private var number: UInt64 = 0
    private var ending = false
    private var hasEnded = false

    init() throws(FrontEndError) {
        guard let handover = Handover() else { throw .noDescriptor }
        self.handover = handover
    }

    /// Readable while there are events.
    var descriptor: Int32 { handover.descriptor }

    // MARK: The reactor's side

    /// Moves the events so far behind those in `taken`.
    func takeEvents(into taken: inout [FrontEndEvent]) {
        handover.hasWoken()
        handover.locked {
            taken += events
            events.removeAll(keepingCapacity: true)
        }
    }

    /// Answers the command with this number; one that nobody waits for any more is dropped.
    func respond(_ octets: [UInt8], to number: UInt64) {
        handover.locked {
            guard awaited == number, !isAnswered else { return }
            response.removeAll(keepingCapacity: true)
            response.append(contentsOf: octets)
            isAnswered = true
            handover.tellChange()
        }
    }

    /// Asks the front end's thread to end.
    func end() {
        handover.locked {
            ending = true
            handover.tellChange()
        }
    }

    /// Waits for that; whether it has.
    func waitForEnd(_ duration: Duration) -> Bool { handover.locked { handover.wait(duration) { hasEnded } } }

    // MARK: The front end's side

    /// Whether the thread is asked to end.
    var isEnding: Bool { handover.locked { ending } }

    /// Tells an event. Of what nobody has taken yet, that of phones before goes with a new activation, and a former state of
    /// the chip with a new one: a reactor that is held up finds a few events and not all of them.
    func post(_ event: FrontEndEvent) {
        handover.locked {
            switch event {
            case .opened, .failed: events.removeAll { $0.isState }
            case .activated: events.removeAll { !$0.isState }
            case .command, .released: break
            }
            events.append(event)
        }
        handover.wakeReactor()
    }

    /// Hands a command over, and waits for the response; nil if it takes longer, or the end has begun.
    func exchange(_ command: [UInt8], within duration: Duration) -> [UInt8]? {
        let mine = handover.locked {
            number &+= 1
            (awaited, isAnswered) = (number, false)
            return number
        }
        post(.command(command, number: mine))
        return handover.locked {
            _ = handover.wait(duration) { isAnswered || ending }
            awaited = 0
            guard isAnswered, !ending else { return nil }
            return response.withUnsafeBufferPointer { Array($0) }
        }
    }

    /// Does nothing for so long, or until the end has begun.
    func pause(_ duration: Duration) { handover.locked { _ = handover.wait(duration) { ending } } }

    /// Tells that the front end's thread touches nothing any more.
    func hasFinished() {
        handover.locked {
            hasEnded = true
            handover.tellChange()
        }
    }
}

extension FrontEndEvent {
    /// Whether it tells of the chip, and not of a phone.
    fileprivate var isState: Bool {
        switch self {
        case .opened, .failed: true
        case .activated, .command, .released: false
        }
    }
}
