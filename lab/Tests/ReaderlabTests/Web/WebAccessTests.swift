// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import readerlab

#if NetworkDevices
    /// The page is for the browser to which the user gave the printed address, and for no other page in it.
    @Suite struct WebAccessTests {
        private static let token = "00112233445566778899aabbccddeeff"
        private static let cookie = "readerlab-8300=\(token)"
        private let access = WebAccess(token: token, address: "127.0.0.1", port: 8300)

        private func decide(
            _ method: String, _ target: String, host: String? = "127.0.0.1:8300", origin: String? = nil,
            cookie: String? = WebAccessTests.cookie, type: String? = nil
        ) -> WebAccess.Decision {
            access.decide(
                WebAccess.Request(
                    method: method, target: target, host: host, origin: origin, cookie: cookie, contentType: type))
        }

        private func status(_ decision: WebAccess.Decision) -> Int? {
            if case .refused(let status, _) = decision { status } else { nil }
        }

        @Test func theTokenIsExchangedForACookie() {
            #expect(
                decide("GET", "/?token=\(Self.token)", cookie: nil)
                    == .enter(cookie: "\(Self.cookie); HttpOnly; SameSite=Strict; Path=/"))
            for wrong in ["", "\(Self.token)0", String(Self.token.dropLast()), Self.token.uppercased()] {
                #expect(status(decide("GET", "/?token=\(wrong)", cookie: nil)) == 403)
            }
            #expect(status(decide("GET", "/?other=\(Self.token)")) == 403)
        }

        @Test func nothingWithoutTheCookie() {
            for target in ["/", "/page.css", "/page.js", "/events", "/line", "/elsewhere"] {
                for cookie in [nil, "", "readerlab-8300=", "readerlab-8301=\(Self.token)", "readerlab-8300=x"] {
                    #expect(status(decide("GET", target, cookie: cookie)) == 403)
                    #expect(status(decide("POST", target, cookie: cookie)) == 403)
                }
            }
        }

        @Test func thePageAndItsParts() {
            for part in WebPage.Part.allCases {
                #expect(decide("GET", part.rawValue) == .page(part))
                #expect(decide("HEAD", part.rawValue, cookie: "a=b; \(Self.cookie)") == .page(part))
                #expect(status(decide("PUT", part.rawValue)) == 405)
                #expect(!part.text.contains("http://") && !part.text.contains("https://"))
            }
            #expect(decide("GET", "/events") == .events)
            #expect(status(decide("POST", "/events")) == 405)
            #expect(status(decide("GET", "/page.css/..")) == 404)
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
                    method: "GET", target: "/", host: host, cookie: "readerlab-80=\(Self.token)")
                #expect((network.decide(request) == .page(.document)) == isOwn)
            }
            let six = WebAccess(token: Self.token, address: "::1", port: 8300)
            let request = WebAccess.Request(method: "GET", target: "/", host: "[::1]:8300", cookie: Self.cookie)
            #expect(six.decide(request) == .page(.document))
        }

        /// Another page in the browser has the cookie sent along where its site is the same; its origin is its own.
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
