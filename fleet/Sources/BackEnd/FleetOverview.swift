// SPDX-License-Identifier: Apache-2.0

import Fleet

/// The current state of the readers after each message, without a query of the database.
struct FleetOverview {
    private var readers: [String: FleetDatabase.Reader]
    private var told: [String: FleetDatabase.Reader] = [:]

    /// The readers of a database before the first message.
    init(_ readers: [FleetDatabase.Reader]) {
        self.readers = Dictionary(readers.map { ($0.device, $0) }) { first, _ in first }
    }

    /// Applies a message with the collector's outcome. After lost or conflicting events call `count`: only the database
    /// has the number of new ones.
    mutating func update(_ outcome: FleetCollector.Outcome, _ payload: [UInt8], topic: String) {
        guard let device = FleetTopics.device(of: topic), var reader = readers[device] else { return }
        switch outcome {
        case .stored(_, let events, _, _):
            reader.events += events.count
            reader.last = events.last ?? reader.last
        case .noted where topic == FleetTopics(device: device).online:
            reader.isOnline = payload.elementsEqual("1".utf8)
        case .noted where topic == FleetTopics(device: device).state:
            reader.state = String(decoding: payload, as: UTF8.self)
        case .noted where topic == FleetTopics(device: device).firmware:
            reader.firmware = FleetCollector.firmwareVersion(in: payload) ?? reader.firmware
        case .conflict, .noted, .known, .refused: return
        }
        readers[device] = reader
    }

    /// Replaces the readers by the database's.
    mutating func count(_ counted: [FleetDatabase.Reader]) {
        for reader in counted { readers[reader.device] = reader }
    }

    /// The readers that have changed since they were last returned, by name.
    mutating func changes() -> [FleetDatabase.Reader] {
        let changes = readers.values.filter { told[$0.device] != $0 }
        told = readers
        return changes.sorted { ($0.name, $0.device) < ($1.name, $1.device) }
    }
}

extension String {
    /// JSON on one line: control characters between its tokens, such as line feeds, become spaces.
    var onOneLine: String { String(decoding: utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self) }
}
