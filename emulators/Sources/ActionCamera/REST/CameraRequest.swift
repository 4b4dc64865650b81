// SPDX-License-Identifier: Apache-2.0

/// A request to the camera.
public struct CameraRequest: Equatable, Sendable {
    /// The maximum number of octets of a body that are kept: more than the 256 tags of a list need. Uploads are
    /// larger, and only counted.
    public static let maximumBody = 262_144

    /// `GET`, `POST` and so on.
    public var method: String
    /// The path and the query, as they were sent.
    public var target: String
    /// The address of the client, to which the viewfinder and the preview go.
    public var peer: String
    /// The header `Accept`.
    public var accept: String?
    /// The header `Content-Type`.
    public var contentType: String?
    /// The header `Range`.
    public var range: String?
    /// The body, cut to `maximumBody`.
    public var body: [UInt8]
    /// The number of octets of the whole body.
    public var bodyCount: Int

    /// A request.
    public init(
        _ method: String, _ target: String, peer: String = "192.168.1.2", body: [UInt8] = [], bodyCount: Int? = nil,
        accept: String? = nil, contentType: String? = nil, range: String? = nil
    ) {
        self.method = method
        self.target = target
        self.peer = peer
        self.body = body
        self.bodyCount = bodyCount ?? body.count
        self.accept = accept
        self.contentType = contentType
        self.range = range
    }

    /// The segments of the path with their escapes resolved, without empty ones, so that a slash at the end counts for
    /// nothing; nil if an escape is wrong.
    var segments: [String]? {
        var segments: [String] = []
        for part in (target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
            .split(separator: "/")
        {
            guard let text = PercentEncoding.text(part) else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// The parameters of the query in order; nil if an escape is wrong.
    var query: CameraQuery? {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return CameraQuery() }
        var query = CameraQuery()
        for pair in halves[1].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.text(parts[0]),
                let value = PercentEncoding.text(parts.count == 2 ? parts[1] : "")
            else { return nil }
            query.items.append((name, value))
        }
        return query
    }
}

/// The parameters of a request.
struct CameraQuery {
    var items: [(name: String, value: String)] = []

    subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// True if there are no other parameters than these.
    func has(only names: [String]) -> Bool { items.allSatisfy { names.contains($0.name) } }

    /// A finite number; nil if it is missing.
    ///
    /// - Throws: `CameraRefusal` if it is something else.
    func number(_ name: String) throws(CameraRefusal) -> Double? {
        guard let text = self[name] else { return nil }
        guard let value = Double(text), value.isFinite else { throw .wrongParameter }
        return value
    }

    /// A number from 0 on; nil if it is missing.
    func count(_ name: String) throws(CameraRefusal) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), value >= 0 else { throw .wrongParameter }
        return value
    }
}

/// Percent-encoding in paths and queries (RFC 3986, 2.1); `+` stands for itself in a path, and for a space in a form.
enum PercentEncoding {
    static func text(_ text: Substring) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = rest.popFirst().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }),
                let low = rest.popFirst().flatMap({ Character(UnicodeScalar($0)).hexDigitValue })
            else { return nil }
            octets.append(UInt8(truncatingIfNeeded: high << 4 | low))
        }
        return String(validating: octets, as: UTF8.self)
    }
}
