extension ReaderClock.Event {
    /// The kind of the event's record.
    public var auditKind: AuditKind {
        switch self {
        case .wasSet: .clockSet
        case .stepped: .clockStepped
        case .refusedStep: .clockStepRefused
        case .quality: .clockQuality
        }
    }

    /// The information of the record: seconds, or the code of the quality.
    public var auditInfo: Int32 {
        switch self {
        case .wasSet: 0
        case .stepped(let seconds), .refusedStep(let seconds): Int32(clamping: seconds)
        case .quality(let quality): quality.auditCode
        }
    }
}

extension ReaderClock.Event: CustomStringConvertible {
    /// A line for a log.
    public var description: String {
        switch self {
        case .wasSet: "the clock is set"
        case .stepped(let seconds): "the clock went \(seconds > 0 ? "ahead" : "back") by \(seconds.magnitude) s"
        case .refusedStep(let seconds):
            "the clock was to go back by \(seconds.magnitude) s, and was not followed: that needs an operator"
        case .quality(.unset): "the clock is not set: no credential can be checked until it is"
        case .quality(.set): "the clock is set, and nothing keeps it synchronised"
        case .quality(.stale): "the clock was not set for a day: it may be off"
        case .quality(.synchronised): "the clock is synchronised"
        }
    }
}

extension ReaderClock.Quality {
    /// The code of the quality in a record.
    var auditCode: Int32 {
        switch self {
        case .unset: 0
        case .set: 1
        case .stale: 2
        case .synchronised: 3
        }
    }
}
