// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DevicePage

#if NetworkDevices
    /// The program is for the tab in which the user opened the printed address, and for no other page.
    @Suite struct WebAccessTests {
        private static let token = "00112233445566778899aabbccddeeff"
        private static let shown = "Bearer \(token)"
        private let access = WebAccess(token: token, address: "127.0.0.1", port: 8300)

        private func decide(
            _ method: String, _ target: String, host: String? = "127.0.0.1:8300", origin: String? = nil,
            shown: String? = WebAccessTests.shown, type: String? = nil
        ) -> WebAccess.Decision {
            access.decide(
                WebAccess.Request(
                    method: method, target: target, host: host, origin: origin, authorization: shown,
                    contentType: type))
        }

        private func status(_ decision: WebAccess.Decision) -> Int? {
            if case .refused(let status, _) = decision { status } else { nil }
        }

        /// No cookie: it would go to each port of the address (RFC 6265, 8.5).
        @Test func theAddressWithTheTokenIsThePage() {
            #expect(decide("GET", "/?token=\(Self.token)", shown: nil) == .page(.document))
            for wrong in ["", "\(Self.token)0", String(Self.token.dropLast()), Self.token.uppercased()] {
                #expect(status(decide("GET", "/?token=\(wrong)", shown: nil)) == 403)
            }
            #expect(status(decide("GET", "/?other=\(Self.token)")) == 403)
        }

        @Test func nothingOfTheProgramWithoutTheToken() {
            let wrong = [
                nil, "", "Bearer", "Bearer ", Self.token, "bearer \(Self.token)", "Basic \(Self.token)",
                "Bearer \(Self.token)0", "Bearer  \(Self.token)", "Bearer \(Self.token.uppercased())",
            ]
            for (target, shown) in ["/events", "/line"].flatMap({ target in wrong.map { (target, $0) } }) {
                for method in ["GET", "POST", "PUT"] {
                    #expect(status(decide(method, target, shown: shown)) == 403)
                    #expect(!decide(method, target, shown: shown).isAuthorized)
                }
            }
            #expect(status(decide("GET", "/events?token=\(Self.token)", shown: nil)) == 403)
        }

        /// The page itself is the same for all, and shows nothing.
        @Test func thePageAndItsParts() {
            for part in WebPage.Part.allCases {
                #expect(decide("GET", part.rawValue, shown: nil) == .page(part))
                #expect(decide("HEAD", part.rawValue, shown: nil) == .page(part))
                #expect(status(decide("PUT", part.rawValue)) == 405)
                #expect(!decide("GET", part.rawValue).isAuthorized)
                let text = String(decoding: part.octets, as: UTF8.self)
                #expect(!text.contains("http://") && !text.contains("https://"))
            }
            #expect(decide("GET", "/events") == .events && decide("GET", "/events").isAuthorized)
            #expect(status(decide("POST", "/events")) == 405)
            #expect(status(decide("GET", "/page.css/..", shown: nil)) == 404)
        }

        /// A name that somebody lets point to this machine (DNS rebinding) is not the page's.
        @Test func onlyByItsOwnNames() {
            for host in ["127.0.0.1:8300", "localhost:8300", "LOCALHOST:8300"] {
                #expect(decide("GET", "/", host: host) == .page(.document))
            }
            for host in [nil, "", "127.0.0.1", "127.0.0.1:8301", "evil.example:8300", "127.0.0.1:8300.evil.example"] {
                #expect(status(decide("GET", "/", host: host)) == 421)
                #expect(status(decide("GET", "/?token=\(Self.token)", host: host)) == 421)
            }
            let network = WebAccess(token: Self.token, address: "192.0.2.7", port: 80)
            for (host, isOwn) in [("192.0.2.7", true), ("192.0.2.7:80", true), ("localhost", false)] {
                let request = WebAccess.Request(
                    method: "GET", target: "/events", host: host, authorization: Self.shown)
                #expect((network.decide(request) == .events) == isOwn)
            }
            let six = WebAccess(token: Self.token, address: "::1", port: 8300)
            let request = WebAccess.Request(
                method: "GET", target: "/events", host: "[::1]:8300", authorization: Self.shown)
            #expect(six.decide(request) == .events)
        }

        /// Another page in the browser has another origin.
        @Test func linesFromThePageOnly() {
            let json = "application/json"
            #expect(decide("POST", "/line", origin: "http://127.0.0.1:8300", type: json) == .line)
            #expect(
                decide("POST", "/line", host: "localhost:8300", origin: "http://localhost:8300", type: json) == .line)
            for origin in [
                nil, "null", "http://127.0.0.1:8301", "https://127.0.0.1:8300", "http://localhost:8300",
                "http://evil.example",
            ] { #expect(status(decide("POST", "/line", origin: origin, type: json)) == 403) }
            for type in [nil, "text/plain", "application/x-www-form-urlencoded"] {
                #expect(status(decide("POST", "/line", origin: "http://127.0.0.1:8300", type: type)) == 415)
            }
        }
    }
#endif
