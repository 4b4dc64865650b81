// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import JSON

/// The back end's half of the delivery: verifies batches, stores new events, and answers with its mark.
///
/// It receives the octets of messages, and returns the octets to be published.
final class FleetCollector {
    /// The consequence of a message.
    enum Outcome: Equatable {
        /// Events were stored; publish the mark.
        case stored(name: String, events: [String], lost: ClosedRange<UInt64>?, mark: DeliveryMark)
        /// No event is new, or an earlier one is missing: publish the mark.
        case known(DeliveryMark)
        /// The batch contradicts the stored events or chain; nothing of it is stored. Publish the mark: the events that
        /// follow are independent.
        case conflict(name: String, sequence: UInt64, mark: DeliveryMark)
        /// The presence, the state or the firmware of a reader was recorded.
        case noted
        /// The message is refused for this reason.
        case refused(String)
    }

    private let site: FleetSite
    private let database: FleetDatabase

    init(_ site: FleetSite, _ database: FleetDatabase) throws(DatabaseFault) {
        self.site = site
        self.database = database
        for (device, reader) in site.readers { try database.name(device, reader.name) }
    }

    /// Handles a message.
    func store(_ payload: [UInt8], topic: String, at epochSeconds: Int64) throws(DatabaseFault) -> Outcome {
        guard let device = FleetTopics.device(of: topic) else { return .refused("\(topic): is no topic of a reader") }
        guard let reader = site.readers[device] else {
            return .refused("\(topic): there is no such reader at this site; add it to the site file, and start again")
        }
        let topics = FleetTopics(device: device)
        switch topic {
        case topics.online:
            try database.store(device, isOnline: payload.elementsEqual("1".utf8))
            return .noted
        case topics.state: return try takeState(payload, device)
        case topics.firmware: return try takeFirmware(payload, device)
        case topics.events: return try takeBatch(payload, device, reader, at: epochSeconds)
        default: return .noted
        }
    }

    private func takeState(_ payload: [UInt8], _ device: String) throws(DatabaseFault) -> Outcome {
        guard payload.count <= FleetLimits.lineCount, let state = try? JSONParser.parse(payload) else {
            return .refused("the state of \(device) is no JSON")
        }
        try database.store(device, state: state.written)
        return .noted
    }

    /// The version in a message about the firmware, which has the form of Home Assistant's update; nil if there is no
    /// printable one.
    static func firmwareVersion(in payload: [UInt8]) -> String? {
        guard payload.count <= FleetLimits.lineCount, let message = try? JSONParser.parse(payload),
            case .string(let version) = message["installed_version"]?.content,
            (1...FleetLimits.textCount).contains(version.utf8.count),
            version.utf8.allSatisfy({ (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) })
        else { return nil }
        return version
    }

    private func takeFirmware(_ payload: [UInt8], _ device: String) throws(DatabaseFault) -> Outcome {
        guard let version = FleetCollector.firmwareVersion(in: payload) else {
            return .refused("the firmware of \(device) has no version: \"installed_version\"")
        }
        try database.store(device, firmware: version)
        return .noted
    }

    private func takeBatch(
        _ payload: [UInt8], _ device: String, _ reader: FleetSite.Reader, at epochSeconds: Int64
    ) throws(DatabaseFault) -> Outcome {
        let signed: EventBatch.Signed
        do throws(JSONPlaceFault) { signed = try EventBatch.Signed(payload) } catch {
            return .refused("\(reader.name): is no batch of events: \(error)")
        }
        let batch = signed.batch
        guard batch.device == device else { return .refused("\(reader.name): sends the events of \(batch.device)") }
        guard reader.key.isValid(signature: signed.signature.span, for: signed.signedOctets.span) else {
            return .refused("\(reader.name): the signature of events from \(batch.first) is not its terminal key's")
        }
        let former = try database.mark(device, batch.log)
        if let sequence = try database.conflict(batch, received: epochSeconds) {
            return .conflict(name: reader.name, sequence: sequence, mark: DeliveryMark(log: batch.log, upTo: former))
        }
        let events = try database.store(batch, after: former, received: epochSeconds)
        let mark = DeliveryMark(log: batch.log, upTo: try database.mark(device, batch.log))
        guard mark.upTo > former else { return .known(mark) }
        return .stored(name: reader.name, events: events, lost: batch.gap, mark: mark)
    }
}
