// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// The back end's statement that it has all events of a log up to a sequence number.
public struct DeliveryMark: Equatable, Sendable {
    /// The log.
    public var log: LogID
    /// The last sequence number that is stored.
    public var upTo: UInt64

    /// A mark at this sequence number of a log.
    public init(log: LogID, upTo: UInt64) {
        self.log = log
        self.upTo = upTo
    }

    /// The message.
    public var text: String {
        (["log": log.description, "upto": upTo] as JSONObject).text
    }

    /// Parses a message.
    public init(_ octets: [UInt8]) throws(JSONPlaceFault) {
        let members = try JSONPlace(file: octets).members(["log", "upto"])
        self.init(log: try members.required("log").log(), upTo: try members.required("upto").sequence())
    }
}

/// The identifier of an event log. Each log numbers its events from the beginning.
public struct LogID: Hashable, Sendable, CustomStringConvertible {
    /// The digits.
    public let description: String

    /// The identifier of these octets; nil if their number is wrong.
    public init?(_ octets: [UInt8]) {
        guard octets.count == FleetLimits.logCount else { return nil }
        description = Hexadecimal.text(octets)
    }
}

extension JSONPlace {
    func log() throws(JSONPlaceFault) -> LogID {
        guard let log = LogID(try octets(maximum: FleetLimits.logCount)) else {
            throw fault("is no identifier of a log: \(FleetLimits.logCount) octets")
        }
        return log
    }

    func device() throws(JSONPlaceFault) -> String {
        let device = try text()
        guard FleetTopics.isDevice(device) else { throw fault("is no reader's identifier") }
        return device
    }

    func sequence() throws(JSONPlaceFault) -> UInt64 { UInt64(try number(0...Int.max)) }

    func shortText() throws(JSONPlaceFault) -> String {
        let text = try text()
        guard text.utf8.count <= FleetLimits.textCount else {
            throw fault("has \(text.utf8.count) octets, and \(FleetLimits.textCount) are the most")
        }
        return text
    }
}
