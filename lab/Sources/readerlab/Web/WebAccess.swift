// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The right of a request to the page: only the browser to which the user gave the printed address has it, and no page
/// of another origin that this browser shows.
struct WebAccess {
    /// A request's method and header fields, as far as they matter.
    struct Request {
        var method: String
        /// Path and query.
        var target: String
        var host: String?
        var origin: String?
        var cookie: String?
        var contentType: String?
    }

    /// The outcome of a request.
    enum Decision: Equatable {
        /// A part of the page.
        case page(WebPage.Part)
        /// The stream of events.
        case events
        /// A line for the program.
        case line
        /// A pin of the program.
        case pin(WebPins.Request)
        /// The token is accepted: set this cookie and go to the page.
        case enter(cookie: String)
        /// Refused with an HTTP status, and words for the user.
        case refused(Int, String)
    }

    /// The number of random octets of a token.
    static let tokenCount = 16

    private let token: String
    private let port: Int
    private let hosts: Set<String>

    /// Access to a page at this numerical address and port.
    init(token: String, address: String, port: Int) {
        self.token = token
        self.port = port
        var names = [address.contains(":") ? "[\(address)]" : address]
        // A name of this machine only; any other could be pointed here by its owner (DNS rebinding).
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
            return .enter(cookie: "\(cookieName)=\(token); HttpOnly; SameSite=Strict; Path=/")
        }
        if path.hasPrefix(WebPins.path) { return decide(pin: request, path, parts.dropFirst().first) }
        guard hasCookie(request.cookie) else { return WebAccess.unknown }
        return decide(request, path, host)
    }

    private func decide(_ request: Request, _ path: String, _ host: String) -> Decision {
        switch (path, request.method) {
        case ("/line", "POST"):
            guard request.origin == "http://\(host)" else { return .refused(403, "only this page sends lines") }
            guard request.contentType == "application/json" else { return .refused(415, "write application/json") }
            return .line
        case ("/events", "GET"): return .events
        case ("/line", _), ("/events", _): return .refused(405, "another method is needed")
        default:
            guard let part = WebPage.Part(rawValue: path) else { return .refused(404, "there is no \(path)") }
            return ["GET", "HEAD"].contains(request.method) ? .page(part) : .refused(405, "write GET")
        }
    }

    /// Decides on a request of a program, which has no cookie: the token stands in its address. No page of another
    /// origin has that, and a PUT of one is asked for in advance, which nobody answers.
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

    /// Cookies know no ports: each has its own name.
    private var cookieName: String { "readerlab-\(port)" }

    private func hasCookie(_ cookies: String?) -> Bool {
        guard let cookies else { return false }
        return cookies.split(separator: ";").contains { cookie in
            let cookie = cookie.drop { $0 == " " }
            return cookie.hasPrefix(cookieName + "=") && isToken(cookie.dropFirst(cookieName.count + 1))
        }
    }

    private func isToken(_ text: Substring) -> Bool {
        let given = Array(text.utf8)
        let own = Array(token.utf8)
        return constantTimeEqual(given.span, own.span)
    }
}
