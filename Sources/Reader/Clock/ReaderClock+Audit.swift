// SPDX-License-Identifier: Apache-2.0

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
        case .stepped(let seconds): "the clock stepped \(seconds > 0 ? "ahead" : "back") by \(seconds.magnitude) s"
        case .refusedStep(let seconds):
            "a step of the clock back by \(seconds.magnitude) s was refused: only an operator can do that"
        case .quality(.unset): "the clock is not set: credentials cannot be checked"
        case .quality(.set): "the clock is set, and not synchronised"
        case .quality(.stale): "the clock was not set for a day, and may be wrong"
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
