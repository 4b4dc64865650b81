// SPDX-License-Identifier: Apache-2.0

import Protobuf

/// Descriptions of messages for observation, and modified messages.
extension NordicMessage {
    /// A short description without the octets: `SUCCESS`, `network "Home", -50 dBm`, `state 5, reason 0`.
    public var meaning: String {
        switch characteristic {
        case .information: "version"
        case .controlPoint: responseMeaning
        case .dataOut: resultMeaning
        }
    }

    private var responseMeaning: String {
        guard let response = try? NordicResponse(decoding: octets.span, in: 0..<octets.count) else {
            return "no response"
        }
        var words = response.status.map(NordicMessage.word) ?? "no status"
        if response.operation == nil { words += ", no operation" }
        if let state = response.deviceStatus?.state { words += ", state \(state.rawValue)" }
        if let name = response.deviceStatus?.provisioned?.wifiName { words += ", network \(name)" }
        return words
    }

    private var resultMeaning: String {
        guard let result = try? NordicResult(decoding: octets.span, in: 0..<octets.count) else { return "no result" }
        var words: [String] = []
        if let record = result.record {
            words.append("network \(record.network?.wifiName.map { "\($0)" } ?? "without a name")")
            if let rssi = record.rssi { words.append("\(rssi) dBm") }
        }
        if let state = result.state { words.append("state \(state.rawValue)") }
        if let reason = result.reason { words.append("reason \(reason.rawValue)") }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    private static func word(_ status: NordicStatus) -> String {
        switch status {
        case .success: "SUCCESS"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .invalidMessage: "INVALID_PROTO"
        case .internalError: "INTERNAL_ERROR"
        default: "status \(status.rawValue)"
        }
    }

    /// The message with its status (in a response) or state (in a result) replaced by this code, for a misbehaving
    /// device. Other messages are unchanged.
    public func saying(_ code: Int32) -> NordicMessage {
        var other = self
        var encoded: [UInt8] = []
        switch characteristic {
        case .information: return self
        case .controlPoint:
            guard var response = try? NordicResponse(decoding: octets.span, in: 0..<octets.count) else { return self }
            response.status = NordicStatus(rawValue: code)
            response.encode(into: &encoded)
        case .dataOut:
            guard var result = try? NordicResult(decoding: octets.span, in: 0..<octets.count) else { return self }
            result.state = NordicConnectionState(rawValue: code)
            result.encode(into: &encoded)
        }
        other.octets = encoded
        return other
    }
}
