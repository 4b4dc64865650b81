// SPDX-License-Identifier: Apache-2.0

public import JSON
public import Timekeeping

/// The events of a run and the findings about its apps, as a value.
public struct Timeline: Sendable {
    /// The maximum number of stored entries; later ones are shown and reviewed, and counted in `left`. A scan with a
    /// hundred networks a second reaches it in a quarter of an hour, with about 30 MB of memory.
    public static let capacity = 100_000

    private let start: Instant
    private let capacity: Int
    private let kinds: [AppExpectations]
    private var reviews: [UInt32: LinkReview] = [:]
    private var untold: [TimelineEntry] = []
    private var links = 0
    private var writes = 0
    private var values = 0
    private var requests = 0

    /// The number of the newest entry, which equals the count of all entries so far.
    public private(set) var count = 0
    /// The stored entries, oldest first.
    public private(set) var entries: [TimelineEntry] = []
    /// The findings about the apps.
    public private(set) var findings: [Finding] = []
    /// The number of entries that were not stored.
    public private(set) var left = 0

    /// The timeline of a run.
    ///
    /// - Parameters:
    ///   - expectations: the expected behaviour of the apps, for each device.
    ///   - capacity: the number of entries that are stored, for a transcript.
    public init(start: Instant, expectations: [AppExpectations], capacity: Int = Timeline.capacity) {
        self.start = start
        self.capacity = capacity
        kinds = expectations
    }

    /// Adds an event, and returns the number of its entry.
    @discardableResult
    public mutating func add(
        _ event: TimelineEntry.Event, device: Int?, link: UInt32? = nil, at now: Instant
    ) -> Int {
        let number = append(event, device, link, at: now)
        // A fault of a value for all links.
        if case .fault = event, link == nil, let device {
            for link in reviews.keys where reviews[link]?.device == device {
                reviews[link]?.receive(event, number: number, at: now)
            }
        }
        guard let link, let device, kinds.indices.contains(device) else { return number }
        if case .connected = event { reviews[link] = LinkReview(kinds[device], device: device, link: link, at: now) }
        reviews[link]?.receive(event, number: number, at: now)
        if case .disconnected(let reason, let byDevice) = event {
            reviews[link]?.ended(isByApp: !byDevice && reason == Timeline.byUser, at: now)
        }
        tellFindings(of: link, at: now)
        if case .disconnected = event { reviews[link] = nil }
        return number
    }

    /// Remote User Terminated Connection (Core 5.4, Vol 1, Part F, 2.19): the app or the user has ended the link. Low
    /// resources and power off (2.20, 2.21) are the phone's.
    private static let byUser: UInt8 = 0x13

    /// Adds a mistake of the app that the device itself has detected.
    ///
    /// - Parameter entry: the number of the entry that shows it.
    public mutating func mistake(
        _ rule: String, _ sentence: String, entry: Int, device: Int, link: UInt32?, at now: Instant
    ) {
        report(Finding(rule: rule, sentence, entry: entry, device: device, link: link), at: now)
    }

    /// The time of the next call of `advance`; nil if no rule depends on time.
    public var deadline: Instant? { reviews.values.compactMap(\.deadline).min() }

    /// Applies the rules that depend on time until `now`.
    public mutating func advance(to now: Instant) {
        for link in reviews.keys.sorted() {
            reviews[link]?.advance(to: now)
            tellFindings(of: link, at: now)
        }
    }

    /// Removes and returns the next entry to show; nil if all entries are shown.
    public mutating func next() -> TimelineEntry? { untold.isEmpty ? nil : untold.removeFirst() }

    private mutating func append(_ event: TimelineEntry.Event, _ device: Int?, _ link: UInt32?, at now: Instant) -> Int
    {
        count += 1
        let entry = TimelineEntry(number: count, at: now - start, device: device, link: link, event)
        if entries.count < capacity { entries.append(entry) } else { left += 1 }
        switch event {
        case .connected: links += 1
        case .wrote: writes += 1
        case .sent: values += 1
        case .requested: requests += 1
        default: break
        }
        untold.append(entry)
        return count
    }

    private mutating func tellFindings(of link: UInt32, at now: Instant) {
        for finding in reviews[link]?.takeFindings() ?? [] { report(finding, at: now) }
    }

    private mutating func report(_ finding: Finding, at now: Instant) {
        if findings.count < Timeline.capacity { findings.append(finding) }
        _ = append(.finding(finding), finding.device, finding.link, at: now)
    }

    // MARK: - Transcript

    /// The run as a JSON text (docs/emulators/emulation.md), one entry per line.
    ///
    /// - Parameter devices: a description of each device.
    public func transcript(devices: [JSONObject]) -> String {
        var text = "{\"version\":1,\n\"devices\":["
        text += devices.map(\.text).joined(separator: ",\n")
        text += "],\n\"entries\":[\n"
        text += entries.map(\.json.text).joined(separator: ",\n")
        text += "\n],\n\"left\":\(left),\n\"findings\":[\n"
        text += findings.map(\.json.text).joined(separator: ",\n")
        return text + "\n]}\n"
    }

    /// A summary in a few lines: the number of events, and each violated rule with its sentence and count.
    public var summary: [String] {
        var lines = [
            links + writes + values == 0 && requests > 0
                ? Timeline.counted(requests, "request")
                : "\(Timeline.counted(links, "link")), \(Timeline.counted(writes, "write")), "
                    + "\(Timeline.counted(values, "value")) sent"
        ]
        if findings.isEmpty { lines.append("nothing was found that the app got wrong") }
        var seen: [String] = []
        for finding in findings where !seen.contains(finding.rule) {
            seen.append(finding.rule)
            let count = findings.count { $0.rule == finding.rule }
            let often = count > 1 ? " (\(count) times)" : ""
            lines.append("\(finding.rule)\(often), entry \(finding.entry): \(finding.sentence)")
        }
        return lines
    }

    /// The findings so far, a line each, for `findings`; each begins with `findingMark`.
    public var findingLines: [String] {
        guard !findings.isEmpty else { return ["nothing was found"] }
        return findings.map { "\(Timeline.findingMark)\($0.rule), entry \($0.entry): \($0.sentence)" }
    }

    /// The beginning of a line with a finding, as in the timeline.
    public static let findingMark = "! "

    private static func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
