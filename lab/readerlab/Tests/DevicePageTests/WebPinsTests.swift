// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Testing
import Timekeeping

@testable import DevicePage
@testable import VirtualPins

#if NetworkDevices
    /// Pins over HTTP, for labgrid: an emulated reader's door, and the lines of a bench.
    @Suite struct WebPinsTests {
        private static let token = "00112233445566778899aabbccddeeff"
        private let access = WebAccess(token: token, address: "127.0.0.1", port: 8300)

        private func decide(_ method: String, _ target: String, host: String = "127.0.0.1:8300") -> WebAccess.Decision {
            access.decide(WebAccess.Request(method: method, target: target, host: host))
        }

        private func status(_ decision: WebAccess.Decision) -> Int? {
            if case .refused(let status, _) = decision { status } else { nil }
        }

        private func outcome(
            _ pins: WebPins, _ method: String, _ place: String, _ body: String = "", query: String? = nil
        ) -> WebPins.Outcome {
            pins.outcome(of: WebPins.Request(method: method, place: place, query: query), body: Array(body.utf8))
        }

        private func status(_ outcome: WebPins.Outcome) -> Int? {
            if case .refused(let status, _) = outcome { status } else { nil }
        }

        private func report(_ pins: inout WebPins, _ line: String) {
            pins.told(WebConversation.members(of: line) ?? [:], line)
        }

        @Test func theTokenStandsInTheAddress() {
            let query = "?token=\(Self.token)"
            #expect(
                decide("GET", "/v1/gpio/contact\(query)")
                    == .pin(WebPins.Request(method: "GET", place: "contact", query: nil)))
            #expect(
                decide("PUT", "/v1/gpio/lock/edges\(query)&after=3")
                    == .pin(WebPins.Request(method: "PUT", place: "lock/edges", query: "after=3")))
            let wrong = ["", "?token=", "?token=\(Self.token.dropLast())", "?token=\(Self.token)0", "?t=\(Self.token)"]
            for query in wrong + ["?after=1&token=\(Self.token)", "?token=&token=\(Self.token)"] {
                #expect(status(decide("GET", "/v1/gpio/lock\(query)")) == 403)
                #expect(status(decide("GET", "/v1/gpio/lock/edges\(query)")) == 403)
                #expect(status(decide("PUT", "/v1/gpio/fire\(query)")) == 403)
            }
            #expect(status(decide("GET", "/v1/gpio/lock?token=\(Self.token)", host: "evil.example:8300")) == 421)
        }

        @Test func theDoorOfAnEmulatedReader() {
            var door = WebPins.door
            for pin in ["contact", "fire", "lockdown", "lock"] { #expect(outcome(door, "GET", pin) == .level("0")) }
            #expect(outcome(door, "PUT", "contact", "1") == .line("door open"))
            #expect(outcome(door, "PUT", "fire", "0") == .line("fire off"))
            for (method, pin) in [("PUT", "lock"), ("POST", "fire"), ("DELETE", "contact"), ("HEAD", "contact")] {
                #expect(status(outcome(door, method, pin, "1")) == 405)
            }
            #expect(outcome(door, "PUT", "lock", "1") == .refused(405, "lock takes GET"))
            for pin in ["", "rex", "lock/", "Lock", "/edges"] { #expect(status(outcome(door, "GET", pin)) == 404) }
            #expect(outcome(door, "GET", "lock/edges") == .refused(404, "lock is no line: it has no edges"))
            #expect(status(outcome(door, "GET", "lock", query: "after=1")) == 400)
            door.done("door open")
            door.done("help")
            #expect(outcome(door, "GET", "contact") == .level("1"))
            door.done("door closed")
            #expect(outcome(door, "GET", "contact") == .level("0"))
            report(&door, #"{"event":"door","text":"door: unlocked for a grant"}"#)
            #expect(outcome(door, "GET", "lock") == .level("1"))
            report(&door, #"{"event":"door","text":"door: forced"}"#)
            #expect(outcome(door, "GET", "lock") == .level("1"))
            report(&door, #"{"event":"door","text":"door: secured after a grant"}"#)
            #expect(outcome(door, "GET", "lock") == .level("0"))
        }

        @Test func aBodyIsOneDigit() {
            for body in ["", "1\n", "01", "true", "2"] {
                #expect(outcome(.door, "PUT", "fire", body) == .refused(400, "write 1 or 0, and nothing else"))
            }
        }

        /// As `readerlab pins --json` tells them.
        @Test func theLinesOfABench() throws {
            var pins = WebPins.bench
            #expect(outcome(pins, "GET", "lock") == .refused(503, "the program is starting"))
            let plans = try PinPlan.all(inputs: ["lock=L"], outputs: ["rex=R"], activeLow: [], pullUp: [])
            var board = PinBoard(plans, levels: [true, false])
            func report(_ notices: [PinNotice]) -> [String] {
                let lines = notices.map { $0.json(since: .origin).text }
                for line in lines { self.report(&pins, line) }
                return lines
            }
            _ = report(board.begin(at: .origin))
            #expect(outcome(pins, "GET", "lock") == .level("1"))
            #expect(outcome(pins, "PUT", "lock", "0") == .refused(405, "lock takes GET"))
            #expect(outcome(pins, "GET", "lock/edges") == .edges("[]"))
            #expect(outcome(pins, "PUT", "rex", "1") == .line("rex on"))
            #expect(outcome(pins, "GET", "rex") == .level("0"))
            #expect(outcome(pins, "GET", "contact") == .refused(404, "there is no pin contact; there are lock, rex"))
            let set = report(board.hasSet(1, true, at: Instant(nanoseconds: 5)).0)
            #expect(outcome(pins, "GET", "rex") == .level("1"))
            #expect(outcome(pins, "GET", "rex/edges") == .edges("[\(set[0])]"))
            let edges = report(
                board.receive(
                    [.init(level: false, at: Instant(nanoseconds: 7)), .init(level: true, at: .origin)], of: 0))
            #expect(outcome(pins, "GET", "lock/edges") == .edges("[\(edges[0]),\(edges[1])]"))
            #expect(outcome(pins, "GET", "lock/edges", query: "after=1") == .edges("[\(edges[1])]"))
            #expect(outcome(pins, "GET", "lock/edges", query: "after=2") == .edges("[]"))
            #expect(status(outcome(pins, "PUT", "lock/edges", "1")) == 405)
            for query in ["", "after=", "after=x", "before=1", "after=1&after=2"] {
                #expect(status(outcome(pins, "GET", "lock/edges", query: query)) == 400)
            }
        }

        @Test func theLatestEdgesAreKept() throws {
            var pins = WebPins.bench
            report(&pins, #"{"event":"pin","pin":"lock","output":false,"level":0}"#)
            for number in 1...WebPins.maximumEdges + 1 {
                report(&pins, #"{"event":"edge","pin":"lock","level":\#(number % 2),"number":\#(number)}"#)
            }
            guard case .edges(let text) = outcome(pins, "GET", "lock/edges") else { throw CommandFault("no edges") }
            #expect(text.hasPrefix(#"[{"event":"edge","pin":"lock","level":0,"number":2}"#))
        }
    }
#endif
