// SPDX-License-Identifier: Apache-2.0

import WiFi
public import JSON
import Octets

/// The file format. It contains passphrases: the writer sets mode 0600.
extension StoredNetworks {
    /// The maximum length of a file in octets: five times the length of 32 networks.
    public static let maximumFileCount = 65_536

    /// The networks as JSON on one line. Names and passphrases are in hexadecimal, as their octets need not be text.
    ///
    /// ```json
    /// {"networks": [{"ssid-hex": "486f6d65", "bssid": "aa:bb:cc:dd:ee:ff", "band": "2.4", "channel": 6,
    ///                "security": "wpa2-psk", "passphrase-hex": "…"}]}
    /// ```
    public var json: [UInt8] {
        var object = JSONObject()
        object.add("networks", networks.map(\.json))
        return Array(object.text.utf8) + [UInt8(ascii: "\n")]
    }

    /// Replaces the networks by the networks in a JSON text. Networks beyond the capacity are ignored.
    ///
    /// - Throws: `JSONPlaceFault` for the first error, with its location; nothing has changed then.
    public mutating func load(json: [UInt8]) throws(JSONPlaceFault) {
        guard json.count <= StoredNetworks.maximumFileCount else {
            throw JSONPlaceFault(
                line: 1, path: "", "has \(json.count) octets, and \(StoredNetworks.maximumFileCount) are the most")
        }
        let places = try JSONPlace(file: json).members(["networks"]).required("networks").elements()
        guard places.count <= StoredNetworks.maximumCapacity else {
            throw JSONPlaceFault(
                line: 1, path: "networks",
                "has \(places.count) networks, and \(StoredNetworks.maximumCapacity) are the most")
        }
        var loaded = StoredNetworks(capacity: capacity, whenFull: whenFull)
        for place in places {
            let network = try WiFiJoin(place)
            guard loaded[network.name] == nil else { throw place.fault("is there twice") }
            if loaded.networks.count < capacity { loaded.networks.append(network) }
        }
        self = loaded
    }
}

extension WiFiJoin {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("ssid-hex", Hexadecimal.text(name.octets))
        if let address { object.add("bssid", "\(address)") }
        if let band { object.add("band", band.word) }
        if let channel { object.add("channel", channel) }
        object.add("security", security.word)
        passphrase?.withOctets { object.add("passphrase-hex", Hexadecimal.text($0)) }
        return object
    }

    /// Reads a network. Errors never quote the file's content.
    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["ssid-hex", "bssid", "band", "channel", "security", "passphrase-hex"])
        let namePlace = try members.required("ssid-hex")
        guard let name = WiFiName(try namePlace.octets(maximum: WiFiName.maximumCount)) else {
            throw namePlace.fault("is too long")
        }
        var address: WiFiAddress?
        if let place = members["bssid"] {
            guard let parsed = WiFiAddress(try place.text()) else {
                throw place.fault("is no hardware address; write it as aa:bb:cc:dd:ee:ff")
            }
            address = parsed
        }
        let security = try members.required("security").wifiSecurity()
        let bandWord = try members["band"]?.word(WiFiBand.allCases.map(\.word))
        var passphrase: WiFiPassphrase?
        if let place = members["passphrase-hex"] {
            passphrase = WiFiPassphrase(try place.octets(maximum: WiFiPassphrase.maximumCount))
        }
        self.init(
            name: name, address: address, band: WiFiBand.allCases.first { $0.word == bandWord },
            channel: try members["channel"].map { place throws(JSONPlaceFault) in
                UInt32(truncatingIfNeeded: try place.number(0...Int(UInt32.max)))
            },
            security: security, passphrase: passphrase)
    }
}
