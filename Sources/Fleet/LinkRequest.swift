// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// A message of the process of the link to the reader: a question, a report, or an order of a back end, which the
/// reader verifies.
public enum LinkRequest: Equatable, Sendable {
    /// Read a batch of events from this sequence number, whose message has at most this many octets.
    case read(from: UInt64, octets: Int)
    /// The state of the link, complete.
    case status(LinkStatus)
    /// A signed order as received, with the number for its answer.
    case order([UInt8], isRetained: Bool, number: UInt64)
    /// A chunk of a desired state as received. The reader compares it with the signed digest of this index.
    case chunk([UInt8], index: Int)
}

/// The state of the link, for the reader's status and faults.
public struct LinkStatus: Equatable, Sendable {
    /// True while the broker serves this reader.
    public var isConnected: Bool
    /// The back end's mark in the reader's log; nil while it is not known.
    public var delivered: UInt64?
    /// The faults, each with one line for people.
    public var faults: [LinkFault: String]

    /// A link in this state.
    public init(isConnected: Bool = false, delivered: UInt64? = nil, faults: [LinkFault: String] = [:]) {
        self.isConnected = isConnected
        self.delivered = delivered
        self.faults = faults
    }
}

extension LinkRequest {
    /// The line, without its line feed.
    public var line: String {
        let object: JSONObject =
            switch self {
            case .read(let first, let octets): ["read": first, "octets": octets]
            case .status(let status): ["status": status.object]
            case .order(let octets, let isRetained, let number):
                ["order": Hexadecimal.text(octets), "retained": isRetained, "number": number]
            case .chunk(let octets, let index): ["chunk": Hexadecimal.text(octets), "index": index]
            }
        return object.text
    }

    /// Parses a line without its line feed.
    public init(line: [UInt8]) throws(JSONPlaceFault) {
        let root = try JSONPlace(file: line)
        if root.has("read") {
            let members = try root.members(["read", "octets"])
            self = .read(
                from: try members.required("read").sequence(),
                octets: try members.required("octets").number(BatchSizing.least...FleetLimits.batchCount))
        } else if root.has("order") {
            let members = try root.members(["order", "retained", "number"])
            self = .order(
                try members.required("order").octets(maximum: FleetLimits.orderCount),
                isRetained: try members.required("retained").boolean(),
                number: try members.required("number").sequence())
        } else if root.has("chunk") {
            let members = try root.members(["chunk", "index"])
            self = .chunk(
                try members.required("chunk").octets(maximum: FleetLimits.chunkCount),
                index: try members.required("index").number(0...FleetLimits.chunksPerState - 1))
        } else {
            self = .status(try LinkStatus(root.members(["status"]).required("status")))
        }
    }
}

extension String {
    /// The first characters, up to this many octets in UTF-8.
    fileprivate func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        for scalar in unicodeScalars {
            guard kept.utf8.count + UTF8.width(scalar) <= limit else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}

extension LinkStatus {
    fileprivate var object: JSONObject {
        var texts = JSONObject()
        for (fault, text) in faults.sorted(by: { $0.key < $1.key }) {
            texts.add(fault.rawValue, text.cut(to: FleetLimits.textCount))
        }
        return ["connected": isConnected, "delivered": delivered.orNull, "faults": texts]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["connected", "delivered", "faults"])
        isConnected = try members.required("connected").boolean()
        let number = try members.required("delivered")
        delivered = number.node.content == .null ? nil : try number.sequence()
        faults = [:]
        let texts = try members.required("faults").members(LinkFault.allCases.map(\.rawValue))
        for member in texts.members {
            if let fault = LinkFault(rawValue: member.name) {
                faults[fault] = try texts.required(member.name).shortText()
            }
        }
    }
}
