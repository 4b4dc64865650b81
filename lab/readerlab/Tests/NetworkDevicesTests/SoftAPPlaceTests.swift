// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import Console
    import Testing
    import WiFi

    @testable import NetworkDevices

    @Suite struct SoftAPPlaceTests {
        private static let interfaces = [
            SoftAPPlace(name: "lo", address: IPv4Address(127, 0, 0, 1)),
            SoftAPPlace(name: "wlan0", address: IPv4Address(192, 168, 0, 1)),
        ]

        private func place(_ name: String?, _ address: IPv4Address) throws -> SoftAPPlace {
            try SoftAPPlace(named: name, or: address, among: Self.interfaces)
        }

        /// The interface may have another address than the one to announce.
        @Test func aNameIsEnough() throws {
            let place = try place("wlan0", IPv4Address(10, 0, 0, 1))
            #expect(place.name == "wlan0" && place.address == IPv4Address(10, 0, 0, 1))
        }

        @Test func withoutANameTheAddressDecides() throws {
            #expect(try place(nil, IPv4Address(127, 0, 0, 1)).name == nil)
        }

        @Test func aMissingInterfaceIsNamedWithTheOthers() {
            func complaint(_ name: String?) -> String? {
                do throws(CommandError) {
                    _ = try SoftAPPlace(named: name, or: IPv4Address(10, 0, 0, 1), among: Self.interfaces)
                    return nil
                } catch { return "\(error)" }
            }
            let rest = "(there are lo, wlan0): set it up, name another one, or say --no-mdns"
            #expect(complaint("eth9")?.contains("there is no interface eth9 with an IPv4 address \(rest)") == true)
            #expect(complaint(nil)?.contains("there is no interface with the address 10.0.0.1 \(rest)") == true)
        }
    }
#endif
