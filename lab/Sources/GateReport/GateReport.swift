// SPDX-License-Identifier: Apache-2.0

public import GateTrial
public import Statistics

/// Accept rates of a gate on traces, by group.
public struct GateReport: Equatable, Sendable {
    /// The property that divides windows into groups, within each file.
    public enum Division: Equatable, Sendable {
        /// The distance at the window's start.
        case distance
        /// The trace's whole condition.
        case condition
        /// A part of the condition, from 1.
        case part(Int)
        /// The trace.
        case trace
    }

    /// One row.
    public struct Row: Equatable, Sendable {
        /// The file.
        public let source: String
        /// The group, a name for each division.
        public let group: [String]
        /// The least distance in metres, for the order of rows; nil if it is not known.
        public let metres: Double?
        /// The accept rate.
        public let rate: AcceptRate
        /// The rate of the traces that were kept aside; nil without one.
        public let aside: AcceptRate?
        /// The times to the opening, of the windows in which it opened.
        public let opened: Distribution<Duration>
    }

    /// The rows, by file, distance and group.
    public let rows: [Row]
    /// The windows with too few packets, by file.
    public let sparse: [String: Int]

    /// The least distance of each group in metres: a step at the door, an arm's length, the next person, the room.
    public static let edges: [Double] = [0, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10]

    /// One trace of this many in each file is kept aside.
    public static let keptAside = 5

    /// Runs the trial on all traces.
    ///
    /// - Parameter keepsAside: every fifth trace of a file counts for `Row.aside` and for nothing else.
    public init(_ traces: [RSSITrace], _ trial: GateTrial, by divisions: [Division], keepsAside: Bool = false) {
        var groups: [Key: Group] = [:]
        var sparse: [String: Int] = [:]
        var numbers: [String: Int] = [:]
        for (index, trace) in traces.enumerated() {
            let number = numbers[trace.source, default: 0]
            numbers[trace.source] = number + 1
            let isAside = keepsAside && number % GateReport.keptAside == 0
            let outcome = trial.run(trace)
            sparse[trace.source, default: 0] += outcome.sparse
            for window in outcome.windows {
                let key = Key(source: trace.source, names: divisions.map { $0.name(of: window, trace) })
                groups[key, default: Group()].add(window, of: index, isAside: isAside)
            }
        }
        rows = groups.compactMap { $1.row($0) }.sorted { GateReport.precedes($0, $1) }
        self.sparse = sparse.filter { $0.value > 0 }
    }

    private static func precedes(_ first: Row, _ second: Row) -> Bool {
        if first.source != second.source { return first.source < second.source }
        let (near, far) = (first.metres ?? .infinity, second.metres ?? .infinity)
        return near != far ? near < far : first.group.lexicographicallyPrecedes(second.group)
    }

    private struct Key: Hashable {
        var source: String
        var names: [String]
    }

    private struct Group {
        var tallies: [Int: AcceptRate.Tally] = [:]
        var aside: [Int: AcceptRate.Tally] = [:]
        var metres: Double?
        var opened: [Duration] = []

        mutating func add(_ window: GateTrial.Window, of trace: Int, isAside: Bool) {
            guard !isAside else {
                aside[trace, default: .init(windows: 0, opened: 0)].windows += 1
                if window.openedAfter != nil { aside[trace]?.opened += 1 }
                return
            }
            tallies[trace, default: .init(windows: 0, opened: 0)].windows += 1
            metres = window.metres.map { min($0, metres ?? $0) } ?? metres
            guard let after = window.openedAfter else { return }
            tallies[trace]?.opened += 1
            opened.append(after)
        }

        func row(_ key: Key) -> Row? {
            func rate(_ tallies: [Int: AcceptRate.Tally]) -> AcceptRate? {
                AcceptRate(tallies.sorted { $0.key < $1.key }.map(\.value))
            }
            guard let all = rate(tallies) else { return nil }
            return Row(
                source: key.source, group: key.names, metres: metres, rate: all, aside: rate(aside),
                opened: Distribution(opened))
        }
    }
}

extension GateReport.Division {
    /// The name of a window's group.
    func name(of window: GateTrial.Window, _ trace: RSSITrace) -> String {
        switch self {
        case .distance: window.metres.map(GateReport.span(of:)) ?? "-"
        case .condition, .part, .trace: name(of: trace)
        }
    }

    /// The name of a trace's group; "-" for a property of windows.
    func name(of trace: RSSITrace) -> String {
        switch self {
        case .distance: "-"
        case .condition: trace.condition.isEmpty ? "-" : trace.condition
        case .part(let number):
            trace.condition.split(separator: "/").dropFirst(number - 1).first.map(String.init) ?? "-"
        case .trace: trace.name
        }
    }
}

extension GateReport {
    /// The group of a distance, as text: "1.5-2 m".
    static func span(of metres: Double) -> String {
        let index = edges.lastIndex { $0 <= metres } ?? 0
        guard index + 1 < edges.count else { return "from \(text(edges[index])) m" }
        return "\(text(edges[index]))-\(text(edges[index + 1])) m"
    }

    /// A number without a decimal point where it is whole.
    static func text(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }
}
