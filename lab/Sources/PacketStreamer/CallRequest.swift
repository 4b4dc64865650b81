// SPDX-License-Identifier: Apache-2.0

/// The decision on the headers of a call ("gRPC over HTTP2", Requests).
public enum CallRequest {
    /// The method of PacketStreamer.
    public static let path = "/netsim.packet.PacketStreamer/StreamPackets"
    /// The content type of requests, perhaps with `+proto` behind it, and of responses.
    public static let contentType = "application/grpc"

    /// The answer to headers.
    public enum Answer: Equatable, Sendable {
        /// A call of `StreamPackets`.
        case accepted
        /// Not a call: an HTTP status without a body.
        case http(UInt16)
        /// A call that ends at once.
        case ended(CallStatus)
    }

    /// - Parameters:
    ///   - method: the value of `:method`.
    ///   - path: the value of `:path`.
    ///   - contentType: the value of `content-type`; nil without one.
    public static func answer(method: String?, path: String?, contentType: String?) -> Answer {
        guard let contentType, isCall(contentType) else { return .http(415) }
        guard method == "POST" else { return .http(405) }
        guard path == CallRequest.path else {
            return .ended(CallStatus(.unimplemented, "there is \(CallRequest.path) alone"))
        }
        return .accepted
    }

    private static func isCall(_ text: String) -> Bool {
        guard text.hasPrefix(contentType) else { return false }
        let rest = text.dropFirst(contentType.count)
        return rest.isEmpty || rest.hasPrefix("+") || rest.hasPrefix(";")
    }
}
