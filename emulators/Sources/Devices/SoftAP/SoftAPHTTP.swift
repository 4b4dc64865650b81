// SPDX-License-Identifier: Apache-2.0

/// An HTTP request.
public struct SoftAPRequest: Equatable, Sendable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// The request target, including a query.
    public var target: String
    /// The body; the caller may cut it above `SoftAPSettings.maximumBody`.
    public var body: [UInt8]

    /// A request.
    public init(_ method: String, _ target: String, body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.body = body
    }
}

/// An HTTP response.
public struct SoftAPResponse: Equatable, Sendable {
    /// A header field.
    public struct Header: Equatable, Sendable {
        /// The field name.
        public var name: String
        /// The field value.
        public var value: String

        /// A header field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The status code.
    public var status: UInt16
    /// The header fields, including `Content-Length`.
    public var headers: [Header]
    /// The body.
    public var body: [UInt8]
    /// True if the connection closes afterwards.
    public var closes: Bool
    /// The number of body octets sent before the connection closes, for a fault; nil for all.
    public var cut: Int?

    /// The CORS fields of every firmware response, for pages in a browser (nRF Connect SDK, since November 2025).
    static let crossOrigin = [
        Header("Access-Control-Allow-Origin", "*"), Header("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
        Header("Access-Control-Allow-Headers", "Content-Type"), Header("Access-Control-Max-Age", "86400"),
    ]

    /// A response with the common header fields.
    init(_ status: UInt16, type: String? = nil, body: [UInt8] = [], more: [Header] = [], closes: Bool = true) {
        self.status = status
        self.body = body
        self.closes = closes
        headers =
            (type.map { [Header("Content-Type", $0)] } ?? []) + [Header("Content-Length", "\(body.count)")]
            + SoftAPResponse.crossOrigin + more
    }

    /// The response with another body.
    func with(body: [UInt8]) -> SoftAPResponse {
        var changed = self
        changed.body = body
        changed.headers = headers.map {
            $0.name == "Content-Length" ? Header("Content-Length", "\(body.count)") : $0
        }
        return changed
    }
}

/// An endpoint.
public enum SoftAPEndpoint: String, Sendable, CaseIterable {
    /// The networks of the last scan.
    case networks = "/prov/networks"
    /// The configuration of the network to join.
    case configure = "/prov/configure"
    /// A new scan; `gateway` only.
    case scan = "/prov/scan"
    /// The state of the join; `gateway` only.
    case status = "/prov/status"

    /// The method.
    public var method: String {
        switch self {
        case .networks, .status: "GET"
        case .configure, .scan: "POST"
        }
    }

    /// True if the firmware has the endpoint.
    var isNordic: Bool { self == .networks || self == .configure }

    /// The name in options.
    public var word: String { String(rawValue.dropFirst("/prov/".count)) }
}
