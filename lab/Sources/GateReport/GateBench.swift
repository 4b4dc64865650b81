// SPDX-License-Identifier: Apache-2.0

public import GateTrial
public import Proximity

/// The accept rates of a gate on one file of traces, by distance, at the pace that the file's packets allow.
public struct GateBench: Equatable, Sendable {
    /// The connection interval of phones in common use.
    public static let connectionInterval = Duration.milliseconds(30)
    /// From this distance on, in metres, a phone is not meant to open: the next person, not the one at the door.
    public static let farMetres = 2.0

    /// The file.
    public let source: String
    /// True if each recorded packet stands for one connection interval: at the pace of the recording, most windows have
    /// too few packets for the gate's median.
    public let isByPackets: Bool
    /// The rates.
    public let report: GateReport

    /// The rates of the traces of one file.
    public init(_ source: String, _ traces: [RSSITrace], gate: ProximityGate.Configuration) {
        let recorded = GateTrial(gate: gate, pace: .recorded(connectionInterval: GateBench.connectionInterval))
        let report = GateReport(traces, recorded, by: [.distance])
        let sparse = report.sparse.values.reduce(0, +)
        let decided = report.rows.reduce(0) { $0 + $1.rate.windows }
        self.source = source
        isByPackets = sparse > decided
        self.report =
            isByPackets
            ? GateReport(
                traces, GateTrial(gate: gate, pace: .packets(connectionInterval: GateBench.connectionInterval)),
                by: [.distance]) : report
    }
}

extension GateReport.Row {
    /// True for phones at the door, which are meant to open, and for those at an unknown distance.
    public var isNear: Bool { metres.map { $0 < GateBench.farMetres } ?? true }
}
