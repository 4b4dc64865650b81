/// A request as it came over HTTP.
public struct SoftAPRequest: Equatable, Sendable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// What stands behind it, a query included.
    public var target: String
    /// The body; the shell may cut it once it is longer than `SoftAPSettings.maximumBody`.
    public var body: [UInt8]

    /// A request.
    public init(_ method: String, _ target: String, body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.body = body
    }
}

/// An answer as it goes over HTTP.
public struct SoftAPResponse: Equatable, Sendable {
    /// A line of the head.
    public struct Header: Equatable, Sendable {
        /// What it says something about.
        public var name: String
        /// What it says.
        public var value: String

        /// A line of the head.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The number that says what became of the request.
    public var status: UInt16
    /// The head, `Content-Length` included.
    public var headers: [Header]
    /// The body.
    public var body: [UInt8]
    /// Whether the connection ends behind it.
    public var closes: Bool
    /// Only so many octets of the body are sent before the connection ends; nil for all (a fault).
    public var cut: Int?

    /// What every answer of the firmware lets a page in a browser do (nRF Connect SDK, since November 2025).
    static let crossOrigin = [
        Header("Access-Control-Allow-Origin", "*"), Header("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
        Header("Access-Control-Allow-Headers", "Content-Type"), Header("Access-Control-Max-Age", "86400"),
    ]

    /// An answer with the lines that all have.
    init(_ status: UInt16, type: String? = nil, body: [UInt8] = [], more: [Header] = [], closes: Bool = true) {
        self.status = status
        self.body = body
        self.closes = closes
        headers =
            (type.map { [Header("Content-Type", $0)] } ?? []) + [Header("Content-Length", "\(body.count)")]
            + SoftAPResponse.crossOrigin + more
    }

    /// With another body.
    func with(body: [UInt8]) -> SoftAPResponse {
        var changed = self
        changed.body = body
        changed.headers = headers.map {
            $0.name == "Content-Length" ? Header("Content-Length", "\(body.count)") : $0
        }
        return changed
    }
}

/// What can be asked for.
public enum SoftAPEndpoint: String, Sendable, CaseIterable {
    /// The networks that were found.
    case networks = "/prov/networks"
    /// To be told of the network to join.
    case configure = "/prov/configure"
    /// To look for networks again. Only `gateway` has it.
    case scan = "/prov/scan"
    /// What became of the join. Only `gateway` has it.
    case status = "/prov/status"

    /// How it is asked.
    public var method: String {
        switch self {
        case .networks, .status: "GET"
        case .configure, .scan: "POST"
        }
    }

    /// Whether the firmware has it.
    var isNordic: Bool { self == .networks || self == .configure }

    /// How options name it.
    public var word: String { String(rawValue.dropFirst("/prov/".count)) }
}
