import AccessProtocol

/// The contactless side of the reader: at most one phone is on it, as the field has it.
struct ContactlessSide {
    var link = ContactlessLink(configuration: ContactlessConfiguration())
    /// The session of the phone that has selected the access application.
    var session: AccessLink?
    /// How many sessions there were.
    private var taps: UInt32 = 0
    /// An answer on its way from the session to the link.
    private var answer: [UInt8] = []

    /// The next session's identifier.
    mutating func nextID() -> PhoneID {
        taps &+= 1
        return .tap(taps)
    }

    /// Moves the whole answer of the session to the link; false if it has none.
    mutating func takeAnswer(of session: AccessLink) -> Bool {
        answer.removeAll(keepingCapacity: true)
        while session.session.nextFrame(limit: MessageLimit.frame, into: &session.frame) { answer += session.frame }
        session.frame.removeAll(keepingCapacity: true)
        guard !answer.isEmpty else { return false }
        let whole = answer
        link.answer(whole.span)
        return true
    }
}

extension AccessLink {
    /// Whether its phone touches the reader.
    var isContactless: Bool { id.isContactless }
}
