// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A message of the reader to the process of its link: one line of JSON with one member.
public enum LinkReport: Equatable, Sendable {
    /// The reader and its log; the first message, and again after the log was replaced.
    case reader(LinkReader)
    /// The retained state, a JSON object.
    case state(String)
    /// The last sequence number of the log.
    case newest(UInt64)
    /// The answer to a request to read: a signed batch.
    case batch(String, covers: ClosedRange<UInt64>, hasGap: Bool)
    /// An event as it was recorded, a JSON object, with its kind.
    case occasion(String, kind: String)
    /// The answer to the order of this number: a signed `RemoteAnswer`.
    case answer(String, number: UInt64)
    /// A request for the retained part of the desired state.
    case fetch(DesiredPart)
}

/// A part of the desired state at the broker.
public enum DesiredPart: String, CaseIterable, Sendable {
    /// The signed order.
    case manifest
    /// The chunks.
    case chunks
}

/// The reader at the beginning of the channel.
public struct LinkReader: Equatable, Sendable {
    /// The version of the messages.
    public var version = FleetLimits.channelVersion
    /// The firmware's version.
    public var firmware: String
    /// The reader's identifier in topics.
    public var device: String
    /// The name for people.
    public var name: String
    /// The event log.
    public var log: LogID
    /// Its last sequence number.
    public var newest: UInt64

    /// A reader with these properties.
    public init(firmware: String, device: String, name: String, log: LogID, newest: UInt64) {
        self.firmware = firmware
        self.device = device
        self.name = name
        self.log = log
        self.newest = newest
    }

    /// The retained message of the reader's firmware; the member's name is Home Assistant's for an update.
    public var firmwareReport: String {
        (["installed_version": firmware] as JSONObject).text
    }
}

extension LinkReport {
    /// The line, without its line feed.
    public var line: String {
        let object: JSONObject =
            switch self {
            case .reader(let reader): ["reader": reader.object]
            case .state(let text): ["state": JSONLiteral(text)]
            case .newest(let sequence): ["newest": sequence]
            case .batch(let text, _, _): ["batch": JSONLiteral(text)]
            case .occasion(let text, _): ["event": JSONLiteral(text)]
            // The message is a string, so that its signed octets stay unchanged.
            case .answer(let text, let number): ["answer": ["number": number, "message": text] as JSONObject]
            case .fetch(let part): ["fetch": part.rawValue]
            }
        return object.text
    }

    private static let batchPrefix = Array("{\"batch\":".utf8)

    /// Parses a line without its line feed.
    public init(line: [UInt8]) throws(JSONPlaceFault) {
        // A batch is long, and its signature covers the exact octets, so it is parsed only once.
        if line.starts(with: LinkReport.batchPrefix) {
            let octets = Array(line.dropFirst(LinkReport.batchPrefix.count).dropLast())
            let batch = try EventBatch.Signed(octets).batch
            guard line.last == UInt8(ascii: "}") else { throw JSONPlaceFault(line: 1, path: "", "does not end") }
            self = .batch(
                String(decoding: octets, as: UTF8.self), covers: batch.first...batch.last, hasGap: batch.gap != nil)
            return
        }
        let root = try JSONPlace(file: line)
        let members = try root.members(["reader", "state", "newest", "event", "answer", "fetch"])
        guard members.members.count == 1, let name = members.members.first?.name else {
            throw root.fault("needs one of reader, state, newest, batch, event, answer, fetch")
        }
        let place = try members.required(name)
        switch name {
        case "reader": self = .reader(try LinkReader(place))
        case "newest": self = .newest(try place.sequence())
        case "answer":
            let members = try place.members(["number", "message"])
            self = .answer(
                try members.required("message").text(), number: try members.required("number").sequence())
        case "fetch": self = .fetch(try place.value())
        case "event":
            guard case .string(let kind) = place.node["kind"]?.content else { throw place.fault("lacks \"kind\"") }
            self = .occasion(place.node.written, kind: kind)
        default: self = .state(place.node.written)
        }
    }
}

extension LinkReader {
    fileprivate var object: JSONObject {
        [
            "version": version, "firmware": firmware, "device": device, "name": name, "log": log.description,
            "newest": newest,
        ]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["version", "firmware", "device", "name", "log", "newest"])
        let device = try members.required("device").device()
        self.init(
            firmware: try members.required("firmware").shortText(), device: device,
            name: try members.required("name").shortText(), log: try members.required("log").log(),
            newest: try members.required("newest").sequence())
        version = try members.required("version").number(0...Int(UInt16.max))
    }
}
