public import Timekeeping

/// The door's inputs: from a line's edges to what the door is told.
extension AccessReader {
    /// The line of an input has had this level since `edge`. The door is told once the level has lasted; the first
    /// level is taken as it is.
    public mutating func doorLine(
        _ input: DoorInput, isActive: Bool, since edge: Instant, at moment: Moment
    ) {
        // A kernel's clock may be another than ours.
        let level = inputs[input.index].take(isActive, since: min(edge, moment.instant))
        if let level { doorInput(input, isActive: level, at: moment) }
    }

    /// Nobody knows the line's level any more. No loss opens the door: a request to exit ends, with the pulse that
    /// follows it, and does not come back before the line was seen at rest. Everything else stays as it was, fire
    /// above all.
    public mutating func doorLineLost(_ input: DoorInput, at moment: Moment) {
        inputs[input.index].lose(rests: input == .exit)
        if input == .exit { doorInput(.exit, isActive: false, at: moment) }
    }

    /// Tells the door what has lasted.
    mutating func advanceInputs(to moment: Moment) {
        for input in DoorInput.allCases {
            if let level = inputs[input.index].advance(to: moment.instant) {
                doorInput(input, isActive: level, at: moment)
            }
        }
    }

    /// When a level will have lasted.
    var inputsDue: Instant? {
        var earliest: Instant?
        for input in inputs { earliest = Instant.earlier(earliest, input.nextDeadline) }
        return earliest
    }

    private mutating func doorInput(_ input: DoorInput, isActive: Bool, at moment: Moment) {
        let now = moment.instant
        switch input {
        case .contact: door.contact(isOpen: isActive, at: now, into: &doorActions)
        case .exit: door.exitRequest(isActive: isActive, at: now, into: &doorActions)
        case .fire: door.fire(isActive: isActive, at: now, into: &doorActions)
        case .tamper: door.tamper(isActive: isActive, at: now, into: &doorActions)
        }
        settleDoor(at: moment)
    }
}

extension DoorInput {
    /// Its place in `allCases`.
    fileprivate var index: Int {
        switch self {
        case .contact: 0
        case .exit: 1
        case .fire: 2
        case .tamper: 3
        }
    }
}
