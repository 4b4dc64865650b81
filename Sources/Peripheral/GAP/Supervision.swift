// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The comparison of the host's picture of the controller with the controller's state: the questions that are due,
/// their results, and the decision which results are credible.
///
/// A controller can restart without an event, and an event can be lost. Neither is visible in an idle host, so the
/// host asks in regular rounds, as long as it claims that a set is on the air or that a link exists.
struct Supervision {
    /// The permitted time between two rounds.
    static let periods: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
    /// The time from the initialization to the first round, which finds out which questions the controller answers.
    static let firstRound = Duration.seconds(1)
    /// The time for an event that explains an answer, or data of an unknown handle: events and data may overtake each
    /// other on their way, and answers may precede events that occurred before.
    static let explanation = Duration.seconds(1)
    /// The maximum number of unknown handles in question, and of ended ones that are remembered.
    static let maximumHandles = 8
    /// The time in which losses shown by the same question count as a series.
    static let seriesTime = Duration.seconds(60)
    /// The length of a series after which the question is not believed for a time: an answer that does not depend on
    /// the state must not reset the controller again and again.
    static let seriesLimit = 3
    /// That time.
    static let disbeliefTime = Duration.seconds(600)

    /// A question by which a loss of state can show.
    enum Question: Int, CaseIterable {
        /// Is a value as the host has set it?
        case setting
        /// Is an advertising set on the air?
        case advertising
        /// Does the handle of a link exist?
        case link
        /// Does a handle exist that the host does not know?
        case handle
        /// An event that controllers send when they start.
        case boot
    }

    /// The commands of a round that remain to be sent, apart from those for sets and links.
    struct Commands: OptionSet {
        var rawValue: UInt8
        static let setting = Commands(rawValue: 1 << 0)
        static let eventMask = Commands(rawValue: 1 << 1)
        static let leEventMask = Commands(rawValue: 1 << 2)
    }

    /// The suggested data length, the one value that a peripheral host sets and many controllers return.
    enum Setting {
        /// It was not read.
        case unknown
        /// The controller returns the host's value.
        case kept
        /// It does not.
        case unusable
    }

    /// The commands by which the handle of a link is verified, in order of preference: Read RSSI, Read Remote Version
    /// Information (Core 5.4, Vol 4, Part E, 7.5.4, 7.1.23). The latter asks the peer, if the controller does not know
    /// the answer yet; its event is masked. LE Read Channel Map is not among them: RootCanal lists it, and aborts.
    enum HandleCommand: Int { case rssi, remoteVersion, none }

    private struct Series {
        var count = 0
        var last = Instant.origin
    }

    private struct Handle {
        var handle: UInt16
        var at: Instant
    }

    /// The time of the next round; nil before the initialization.
    var due: Instant?
    /// The time of the last round, or of the initialization.
    var lastRound = Instant.origin
    /// The commands to be sent.
    var commands: Commands = []
    /// The conclusion from the first answer after the initialization.
    var setting = Setting.unknown
    /// An answer has shown that this set is missing; the controller is reset then unless an event explains it.
    var missingSet: (set: UInt8, until: Instant)?
    /// The command in use for links, and whether it has succeeded since the initialization.
    var handleCommand = HandleCommand.rssi
    var isHandleCommandKnown = false
    /// The number of commands that have returned Unknown Connection Identifier while none was known.
    var unknownHandleAnswers = 0
    /// Until this time a contradicting answer needs no confirmation: an event has announced a restart.
    var suspectedUntil = Instant.origin
    private var lastSuspicion: Instant?
    private var series = [Series](repeating: Series(), count: Question.allCases.count)
    private var unknownHandles: [Handle] = []
    private var endedHandles: [Handle] = []

    /// Discards what the controller has shown; the series remain.
    mutating func reset() {
        (due, commands, setting, missingSet) = (nil, [], .unknown, nil)
        (handleCommand, isHandleCommandKnown, unknownHandleAnswers) = (.rssi, false, 0)
        suspectedUntil = .origin
        unknownHandles.removeAll()
        endedHandles.removeAll()
    }

    // MARK: - Belief

    /// True if a loss shown by the question is credible.
    func believes(_ question: Question, at now: Instant) -> Bool {
        let series = series[question.rawValue]
        return series.count < Supervision.seriesLimit || now - series.last >= Supervision.disbeliefTime
    }

    /// Counts a loss shown by the question.
    mutating func count(_ question: Question, at now: Instant) {
        let old = series[question.rawValue]
        let isSeries = old.count > 0 && now - old.last < Supervision.seriesTime
        series[question.rawValue] = Series(count: isSeries ? old.count + 1 : 1, last: now)
    }

    /// Notes an event that may announce a restart; false if the last one was less than a second ago.
    mutating func suspects(at now: Instant) -> Bool {
        if let lastSuspicion, now - lastSuspicion < Supervision.explanation { return false }
        lastSuspicion = now
        return true
    }

    // MARK: - Handles

    /// The time of the next call of `takeUnknownHandle`; nil if no handle is in question.
    var handleDue: Instant? { unknownHandles.first.map { $0.at + Supervision.explanation } }

    /// Notes an event or data of a handle that the host does not know.
    mutating func noteUnknown(_ handle: UInt16, at now: Instant) {
        guard unknownHandles.count < Supervision.maximumHandles,
            !unknownHandles.contains(where: { $0.handle == handle }),
            !hasEnded(handle, within: Supervision.explanation, at: now)
        else { return }
        unknownHandles.append(Handle(handle: handle, at: now))
    }

    /// Removes and returns a handle whose connection was not reported in time.
    mutating func takeUnknownHandle(at now: Instant) -> UInt16? {
        guard let due = handleDue, now >= due else { return nil }
        return unknownHandles.removeFirst().handle
    }

    /// Handles a reported connection.
    mutating func connected(_ handle: UInt16) {
        unknownHandles.removeAll { $0.handle == handle }
        endedHandles.removeAll { $0.handle == handle }
    }

    /// Handles the end of a connection.
    mutating func ended(_ handle: UInt16, at now: Instant) {
        unknownHandles.removeAll { $0.handle == handle }
        endedHandles.removeAll { $0.handle == handle }
        if endedHandles.count >= Supervision.maximumHandles { endedHandles.removeFirst() }
        endedHandles.append(Handle(handle: handle, at: now))
    }

    /// True if the last connection with this handle ended less than `time` ago.
    func hasEnded(_ handle: UInt16, within time: Duration, at now: Instant) -> Bool {
        endedHandles.contains { $0.handle == handle && now - $0.at < time }
    }
}
