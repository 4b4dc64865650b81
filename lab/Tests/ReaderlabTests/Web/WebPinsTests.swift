// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import readerlab

#if NetworkDevices
    /// The pins of an emulated reader's door, for labgrid.
    @Suite struct WebPinsTests {
        private static let token = "00112233445566778899aabbccddeeff"
        private let access = WebAccess(token: token, address: "127.0.0.1", port: 8300)

        private func decide(_ method: String, _ target: String, host: String = "127.0.0.1:8300") -> WebAccess.Decision {
            access.decide(WebAccess.Request(method: method, target: target, host: host))
        }

        private func status(_ decision: WebAccess.Decision) -> Int? {
            if case .refused(let status, _) = decision { status } else { nil }
        }

        @Test func aPinIsReadAndSetWithTheTokenInItsAddress() {
            let query = "?token=\(Self.token)"
            #expect(decide("GET", "/v1/gpio/contact\(query)") == .pin(.contact, isSet: false))
            #expect(decide("PUT", "/v1/gpio/fire\(query)") == .pin(.fire, isSet: true))
            #expect(decide("GET", "/v1/gpio/lock\(query)") == .pin(.lock, isSet: false))
            for (method, pin) in [("PUT", "lock"), ("POST", "fire"), ("DELETE", "contact")] {
                #expect(status(decide(method, "/v1/gpio/\(pin)\(query)")) == 405)
            }
            for pin in ["", "rex", "lock/", "Lock"] { #expect(status(decide("GET", "/v1/gpio/\(pin)\(query)")) == 404) }
        }

        @Test func othersGetNothing() {
            let wrong = ["", "?token=", "?token=\(Self.token.dropLast())", "?token=\(Self.token)0", "?t=\(Self.token)"]
            for query in wrong {
                #expect(status(decide("GET", "/v1/gpio/lock\(query)")) == 403)
                #expect(status(decide("PUT", "/v1/gpio/fire\(query)")) == 403)
            }
            #expect(status(decide("GET", "/v1/gpio/lock?token=\(Self.token)", host: "evil.example:8300")) == 421)
        }

        @Test func levelsAreThoseThatWereSetOrTold() {
            var pins = WebPins()
            #expect(WebPins.Pin.allCases.map { pins.level($0) } == [false, false, false, false])
            pins.sent("door open")
            pins.sent("fire on")
            pins.sent("help")
            #expect(pins.level(.contact) && pins.level(.fire) && !pins.level(.lockdown))
            pins.sent("door closed")
            #expect(!pins.level(.contact))
            pins.told("door: unlocked for a grant")
            #expect(pins.level(.lock))
            pins.told("door: forced")
            #expect(pins.level(.lock))
            pins.told("door: secured after a grant")
            #expect(!pins.level(.lock))
        }

        @Test func aBodyIsOneDigit() {
            #expect(WebPins.level(in: [0x31]) == true && WebPins.level(in: [0x30]) == false)
            for body in ["", "1\n", "01", "true", "2"] { #expect(WebPins.level(in: Array(body.utf8)) == nil) }
        }
    }
#endif
