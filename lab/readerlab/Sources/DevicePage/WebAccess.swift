// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Decides which requests may use the program: only requests of the tab in which the user opened the printed address.
/// A page of another origin has no access.
///
/// The page sends the token in a header field. Cookies are not bound to a port: the browser would send them to every
/// server at 127.0.0.1 that it visits.
struct WebAccess {
    /// The relevant parts of a request: its method and some header fields.
    struct Request {
        var method: String
        /// The path and the query.
        var target: String
        var host: String?
        var origin: String?
        /// The Authorization field.
        var authorization: String?
        var contentType: String?
    }

    /// The outcome of a request.
    enum Decision: Equatable {
        /// A part of the page, which contains no data of the program.
        case page(WebPage.Part)
        /// The stream of events.
        case events
        /// A line for the program.
        case line
        /// A pin of the program.
        case pin(WebPins.Request)
        /// Refused with an HTTP status, and words for the user.
        case refused(Int, String)

        /// True if the request has shown the token.
        var isAuthorized: Bool {
            switch self {
            case .events, .line, .pin: true
            case .page, .refused: false
            }
        }
    }

    /// The number of random octets of a token.
    static let tokenCount = 16

    private let token: String
    private let hosts: Set<String>

    /// Access to a page at this numeric address and port.
    init(token: String, address: String, port: Int) {
        self.token = token
        var names = [address.contains(":") ? "[\(address)]" : address]
        // Only names of this machine are permitted: the owner of another name could point it here (DNS rebinding).
        if address == "::1" || address.hasPrefix("127.") { names.append("localhost") }
        hosts = Set(names.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
    }

    /// Decides on a request.
    func decide(_ request: Request) -> Decision {
        guard let host = request.host?.lowercased(), hosts.contains(host) else {
            return .refused(421, "this page is not at that name; open the address that the program printed")
        }
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts[0])
        if path == "/", request.method == "GET", let query = parts.dropFirst().first {
            guard query.hasPrefix("token="), isToken(query.dropFirst("token=".count)) else { return WebAccess.unknown }
            return .page(.document)
        }
        if path.hasPrefix(WebPins.path) { return decide(pin: request, path, parts.dropFirst().first) }
        return decide(request, path, host)
    }

    private func decide(_ request: Request, _ path: String, _ host: String) -> Decision {
        switch (path, request.method) {
        case ("/line", _), ("/events", _):
            guard isAuthorized(request) else { return WebAccess.unknown }
        default:
            guard let part = WebPage.Part(rawValue: path) else { return .refused(404, "there is no \(path)") }
            return ["GET", "HEAD"].contains(request.method) ? .page(part) : .refused(405, "write GET")
        }
        switch (path, request.method) {
        case ("/line", "POST"):
            guard request.origin == "http://\(host)" else { return .refused(403, "only this page sends lines") }
            guard request.contentType == "application/json" else { return .refused(415, "write application/json") }
            return .line
        case ("/events", "GET"): return .events
        default: return .refused(405, "another method is needed")
        }
    }

    /// Decides on a request of a program for pins, whose address contains the token. A page of another origin does not
    /// know the token, and the browser's preflight request for its PUT would not be answered.
    private func decide(pin request: Request, _ path: String, _ query: Substring?) -> Decision {
        let parts = query?.split(separator: "&", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard let token = parts.first, token.hasPrefix("token="), isToken(token.dropFirst("token=".count)) else {
            return WebAccess.unknown
        }
        let place = String(path.dropFirst(WebPins.path.count))
        return .pin(
            WebPins.Request(method: request.method, place: place, query: parts.dropFirst().first.map(String.init)))
    }

    private static let unknown = Decision.refused(403, "open the address that the program printed, with its token")

    private func isAuthorized(_ request: Request) -> Bool {
        guard let field = request.authorization, field.hasPrefix(WebAccess.scheme) else { return false }
        return isToken(field.dropFirst(WebAccess.scheme.count))
    }

    /// The beginning of the Authorization field (RFC 6750, 2.1).
    private static let scheme = "Bearer "

    private func isToken(_ text: Substring) -> Bool {
        let given = Array(text.utf8)
        let own = Array(token.utf8)
        return constantTimeEqual(given.span, own.span)
    }
}
