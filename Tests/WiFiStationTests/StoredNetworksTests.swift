// SPDX-License-Identifier: Apache-2.0

import JSON
import WiFi
import WiFiStation
import TestSupport
import Testing
import WiFiTestSupport

@Suite struct StoredNetworksTests {
    private static func network(_ name: WiFiName, _ passphrase: WiFiPassphrase = "mypassword") -> WiFiJoin {
        WiFiJoin(name: name, security: .wpa2PSK, passphrase: passphrase)
    }

    private static func store(
        _ names: [WiFiName], capacity: Int = 3, whenFull: StoredNetworks.WhenFull = .replaceOldest
    ) -> StoredNetworks {
        var store = StoredNetworks(capacity: capacity, whenFull: whenFull)
        for name in names { store.store(network(name)) }
        return store
    }

    private static func stores(_ network: WiFiJoin, _ store: inout StoredNetworks) -> Bool { store.store(network) }

    private static func loaded(_ text: String, capacity: Int = 3) throws(JSONPlaceFault) -> StoredNetworks {
        var store = store(["before"], capacity: capacity)
        try store.load(json: Array(text.utf8))
        return store
    }

    @Test func theNewestIsAtTheFront() {
        var store = Self.store(["a", "b", "c"])
        #expect(store.networks.map(\.name) == ["c", "b", "a"])
        #expect(Self.stores(Self.network("d"), &store))
        #expect(store.networks.map(\.name) == ["d", "c", "b"])
        #expect(store["a"] == nil)
        #expect(Self.stores(Self.network("b", "another one"), &store))
        #expect(store.networks.map(\.name) == ["b", "d", "c"])
        #expect(store["b"]?.passphrase == "another one")
        let moved = [store.moveToFront("c"), store.moveToFront("c"), store.moveToFront("x")]
        #expect(moved == [true, false, false], "then it is there, and then there is none")
        #expect(store.networks.map(\.name) == ["c", "b", "d"])
        store.removeAll()
        #expect(store.isEmpty)
    }

    @Test func aStoreThatRefuses() {
        var store = Self.store(["a"], capacity: 1, whenFull: .refuse)
        #expect(!Self.stores(Self.network("b"), &store))
        #expect(store.networks.map(\.name) == ["a"])
        #expect(Self.stores(Self.network("a", "another one"), &store))
        #expect(store["a"]?.passphrase == "another one")
    }

    @Test func theCapacityHasLimits() {
        #expect(StoredNetworks(capacity: 0, whenFull: .refuse).capacity == 1)
        #expect(StoredNetworks(capacity: 1000, whenFull: .refuse).capacity == 32)
    }

    @Test func theFile() throws {
        var store = Self.store([])
        store.store(WiFiJoin(name: "Open", security: .open))
        store.store(
            WiFiJoin(
                name: "Home", address: "aa:bb:cc:dd:ee:ff", band: .band5GHz, channel: 36, security: .wpa3PSK,
                passphrase: "mypassword"))
        let text =
            #"{"networks":[{"ssid-hex":"486f6d65","bssid":"aa:bb:cc:dd:ee:ff","band":"5","channel":36,"#
            + #""security":"wpa3-psk","passphrase-hex":"6d7970617373776f7264"},{"ssid-hex":"4f70656e","security":"open"}]}"#
            + "\n"
        #expect(String(decoding: store.json, as: UTF8.self) == text)
        #expect(try Self.loaded(text) == store)
        for count in 0..<(text.utf8.count - 1) {
            #expect(throws: JSONPlaceFault.self) { try Self.loaded(String(text.prefix(count))) }
        }
        #expect(throws: JSONPlaceFault.self) { try Self.loaded(text + "x") }
    }

    /// Every octet that a name or a passphrase may contain, and every kind of security.
    @Test func whatIsWrittenIsRead() throws {
        for security in WiFiSecurity.allCases {
            for band in [nil] + WiFiBand.allCases.map(Optional.some) {
                var store = StoredNetworks(capacity: 8, whenFull: .refuse)
                for start in stride(from: 0, to: 256, by: 32) {
                    let octets = (start..<(start + 32)).map { UInt8($0) }
                    let name = try #require(WiFiName(octets))
                    store.store(
                        WiFiJoin(
                            name: name, band: band, channel: band == nil ? nil : .max, security: security,
                            passphrase: WiFiPassphrase(octets + octets)))
                }
                var read = StoredNetworks(capacity: 8, whenFull: .refuse)
                try read.load(json: store.json)
                #expect(read == store)
            }
        }
    }

    @Test func ofMoreThanThereIsRoomForTheFirstAreTaken() throws {
        let store = Self.store(["a", "b", "c"])
        let text = String(decoding: store.json, as: UTF8.self)
        #expect(try Self.loaded(text, capacity: 1).networks.map(\.name) == ["c"])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"networks":{}}"#, #"{"networks":[{}]}"#, #"{"networks":[{"ssid-hex":"41"}]}"#,
        #"{"networks":[{"ssid-hex":"4","security":"open"}]}"#, #"{"networks":[{"ssid-hex":"4x","security":"open"}]}"#,
        #"{"networks":[{"ssid-hex":"41","security":"wpa4"}]}"#, #"{"networks":[],"more":1}"#,
        #"{"networks":[{"ssid-hex":"41","security":"open","bssid":"aa:bb"}]}"#,
        #"{"networks":[{"ssid-hex":"41","security":"open","band":"7"}]}"#,
        #"{"networks":[{"ssid-hex":"41","security":"open","channel":-1}]}"#,
        #"{"networks":[{"ssid-hex":"41","security":"open","channel":4294967296}]}"#,
        #"{"networks":[{"ssid-hex":"41","security":"open"},{"ssid-hex":"41","security":"open"}]}"#,
    ])
    func faults(text: String) {
        var store = Self.store(["before"])
        #expect(throws: JSONPlaceFault.self) { try store.load(json: Array(text.utf8)) }
        #expect(store.networks.map(\.name) == ["before"], "nothing is changed")
    }

    @Test func limits() {
        let one = #"{"ssid-hex":"41","security":"open"}"#
        let many = #"{"networks":["# + (0..<33).map { _ in one }.joined(separator: ",") + "]}"
        #expect(throws: JSONPlaceFault.self) { try Self.loaded(many) }
        let long = #"{"networks":[]}"# + String(repeating: " ", count: StoredNetworks.maximumFileCount)
        #expect(throws: JSONPlaceFault.self) { try Self.loaded(long) }
        for (name, passphrase) in [(33, 1), (1, 65)] {
            let text =
                #"{"networks":[{"ssid-hex":""# + String(repeating: "41", count: name)
                + #"","security":"wpa2-psk","passphrase-hex":""# + String(repeating: "61", count: passphrase) + #""}]}"#
            #expect(throws: JSONPlaceFault.self) { try Self.loaded(text) }
        }
    }

    /// A fault in the file is reported without the file's contents.
    @Test func noPassphraseIsShown() throws {
        let store = Self.store(["a"])
        for text in ["\(store)", String(reflecting: store)] {
            #expect(!text.contains("mypassword") && !text.contains("109, 121"))
        }
        let text = #"{"networks":[{"ssid-hex":"41","security":"open","passphrase-hex":"6d797061737377x"}]}"#
        let fault = try #require(throws: JSONPlaceFault.self) { try Self.loaded(text) }
        #expect(!"\(fault)".contains("6d79"))
    }
}
