// SPDX-License-Identifier: Apache-2.0

/// Signal strengths of one transmitter at one receiver in one take, recorded on the air.
public struct RSSITrace: Equatable, Sendable {
    /// One received packet.
    public struct Reading: Equatable, Sendable {
        /// The time since the start of the take.
        public let at: Duration
        /// The true distance in metres; nil if it is not known.
        public let metres: Double?
        /// The signal strength, −126 to −1 dBm.
        public let dBm: Int8

        /// A packet of this strength, −126 to −1 dBm, at a time that is not before the last one's.
        public init(at: Duration, metres: Double?, dBm: Int8) { (self.at, self.metres, self.dBm) = (at, metres, dBm) }
    }

    /// The file that the trace is from, without its directory.
    public let source: String
    /// The name of the take.
    public let name: String
    /// Circumstances, parts divided by `/`: the place, the way a phone is carried, the angle.
    public let condition: String
    /// The packets in the order of time.
    public internal(set) var readings: [Reading]

    /// A take with its packets. Neither name nor condition has a comma or a line feed, and the name is not empty.
    public init(source: String, name: String, condition: String, readings: [Reading]) {
        (self.source, self.name, self.condition, self.readings) = (source, name, condition, readings)
    }
}

/// An error in a file of traces.
public struct TraceFault: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// The fault and the remedy.
    public let text: String
    /// `LINE: text`, for the file's name before it.
    public var description: String { "\(line): \(text)" }
}

extension RSSITrace {
    /// The first line of a file.
    public static let header = "trace,seconds,distance_m,condition,rssi_dbm"
    /// The maximum length of a file in octets: 35 h of one packet in 30 ms.
    public static let maximumFileCount = 1 << 28
    /// The longest take in seconds, a day.
    private static let longestTake = 86_400.0
    /// The greatest distance in metres: more than Bluetooth LE reaches.
    private static let greatestDistance = 10_000.0

    /// Reads a file of comma-separated values with `header`, whose takes may be interleaved.
    ///
    /// - Parameter source: the file's name, for the traces.
    /// - Throws: the first line that does not fit: a wrong number of columns, a value that is no number or out of its
    ///   range, a time before the last of the same take, another condition within a take.
    public static func parse(_ octets: [UInt8], source: String) throws(TraceFault) -> [RSSITrace] {
        guard octets.count <= maximumFileCount else {
            throw TraceFault(line: 1, text: "more than \(maximumFileCount) octets; divide the file")
        }
        var traces: [RSSITrace] = []
        var indices: [ArraySlice<UInt8>: Int] = [:]
        var line = 0
        for row in octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            let row = row.last == UInt8(ascii: "\r") ? row.dropLast() : row
            if line == 1 {
                guard row.elementsEqual(header.utf8) else {
                    throw TraceFault(line: 1, text: "the first line has to be \(header)")
                }
            } else if !row.isEmpty {
                try add(row, line, source, to: &traces, &indices)
            }
        }
        guard !traces.isEmpty else { throw TraceFault(line: 1, text: "no rows below the header") }
        return traces
    }

    private static func add(
        _ row: ArraySlice<UInt8>, _ line: Int, _ source: String, to traces: inout [RSSITrace],
        _ indices: inout [ArraySlice<UInt8>: Int]
    ) throws(TraceFault) {
        let cells = row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard cells.count == 5 else {
            throw TraceFault(line: line, text: "\(cells.count) columns; 5 are needed: \(header)")
        }
        guard !cells[0].isEmpty else { throw TraceFault(line: line, text: "trace is empty; give the take a name") }
        let reading = try reading(cells.map { String(decoding: $0, as: UTF8.self) }, line)
        guard let index = indices[cells[0]] else {
            indices[cells[0]] = traces.count
            return traces.append(
                RSSITrace(
                    source: source, name: String(decoding: cells[0], as: UTF8.self),
                    condition: String(decoding: cells[3], as: UTF8.self), readings: [reading]))
        }
        let trace = traces[index]
        guard trace.condition.utf8.elementsEqual(cells[3]) else {
            throw TraceFault(line: line, text: "another condition within trace \(trace.name); name it otherwise")
        }
        guard let last = trace.readings.last, last.at <= reading.at else {
            throw TraceFault(line: line, text: "a time before the last of trace \(trace.name); sort its rows")
        }
        traces[index].readings.append(reading)
    }

    private static func reading(_ cells: [String], _ line: Int) throws(TraceFault) -> Reading {
        guard let seconds = Double(cells[1]), (0...longestTake).contains(seconds) else {
            throw TraceFault(
                line: line, text: "seconds \(cells[1].debugDescription): a number from 0 to 86400 is needed")
        }
        let metres = Double(cells[2])
        guard cells[2].isEmpty || metres.map({ (0...greatestDistance).contains($0) }) ?? false else {
            throw TraceFault(
                line: line, text: "distance_m \(cells[2].debugDescription): a number from 0, or nothing, is needed")
        }
        guard let dBm = Int8(cells[4]), (-126 ... -1).contains(dBm) else {
            throw TraceFault(line: line, text: "rssi_dbm \(cells[4].debugDescription): -126 to -1 is needed")
        }
        return Reading(at: .milliseconds(Int64((seconds * 1000).rounded())), metres: metres, dBm: dBm)
    }
}
