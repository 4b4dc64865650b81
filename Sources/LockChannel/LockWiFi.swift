// SPDX-License-Identifier: Apache-2.0

internal import Crypto
import JSON
import Octets
public import WiFi

/// A request to the reader's Wi-Fi station.
public enum LockWiFiRequest: Equatable, Sendable {
    /// Scan for networks. With a name, probe for it: hidden networks answer.
    case scan(WiFiName? = nil)
    /// Join a network. Its passphrase is the message's secret.
    case join(WiFiJoin)
    /// Leave the network, or abort the join.
    case leave
    /// Keep the network that was joined: commissioning is complete.
    case keep

    private enum Word: String, CaseIterable { case scan, join, leave, keep }

    var object: JSONObject {
        switch self {
        case .scan(let name):
            return ["do": Word.scan.rawValue, "name": name.map { Hexadecimal.text($0.octets) }]
        case .join(let join):
            return [
                "do": Word.join.rawValue, "name": Hexadecimal.text(join.name.octets), "security": join.security.word,
            ]
        case .leave: return ["do": Word.leave.rawValue]
        case .keep: return ["do": Word.keep.rawValue]
        }
    }

    /// The passphrase of a network to join.
    var secret: [UInt8]? { if case .join(let join) = self { join.passphrase?.withOctets { $0 } } else { nil } }

    init(_ place: JSONPlace, _ secret: SecretOctets?) throws(JSONPlaceFault) {
        let members = try place.members(["do", "name", "security"])
        let word: Word = try members.required("do").value()
        switch word {
        case .scan:
            self = .scan(try members["name"].map { place throws(JSONPlaceFault) in try place.wifiName() })
        case .leave: self = .leave
        case .keep: self = .keep
        case .join:
            let passphrase = secret.flatMap { WiFiPassphrase($0) }
            guard (passphrase == nil) == (secret == nil) else {
                throw place.fault("has a secret that is no passphrase")
            }
            self = .join(
                WiFiJoin(
                    name: try members.required("name").wifiName(),
                    security: try members.required("security").wifiSecurity(), passphrase: passphrase))
        }
    }
}

/// An event of the reader's Wi-Fi station.
public enum LockWiFiEvent: Equatable, Sendable {
    /// An event of a scan or a join.
    case station(WiFiEvent)
    /// The request was refused: no window is open, a phone provisions by the other way, or the supplicant is not there.
    case refused

    private enum Word: String, CaseIterable {
        case found
        case scanEnded = "scan-ended"
        case joined
        case joinFailed = "join-failed"
        case lost
        case refused
    }

    /// The reasons of failures by their words; another reason is `other`.
    private static let failures: [(failure: WiFiJoinFailure, word: String)] = [
        (.authentication, "authentication"), (.networkNotFound, "not-found"), (.timeout, "timeout"),
        (.address, "no-address"), (.other, "other"),
    ]

    /// True for an event that the process needs: the steps of a join are not among them.
    public var isTold: Bool {
        if case .station(.joining) = self { false } else { true }
    }

    var object: JSONObject {
        switch self {
        case .station(.found(let network)): ["is": Word.found.rawValue, "network": network.object]
        case .station(.scanEnded(let complete)): ["is": Word.scanEnded.rawValue, "complete": complete]
        case .station(.joined(let network, let address)):
            ["is": Word.joined.rawValue, "network": network.object, "ipv4": address.description]
        case .station(.joinFailed(let failure)):
            [
                "is": Word.joinFailed.rawValue,
                "why": LockWiFiEvent.failures.first { $0.failure == failure }?.word ?? "other",
            ]
        case .station(.lost): ["is": Word.lost.rawValue]
        case .station(.joining), .refused: ["is": Word.refused.rawValue]
        }
    }

    init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["is", "network", "complete", "ipv4", "why"])
        let word: Word = try members.required("is").value()
        switch word {
        case .found: self = .station(.found(try WiFiNetwork(members.required("network"))))
        case .scanEnded: self = .station(.scanEnded(complete: try members.required("complete").boolean()))
        case .joined:
            let text = try members.required("ipv4")
            guard let address = IPv4Address(try text.text()) else { throw text.fault("is no IPv4 address") }
            self = .station(.joined(try WiFiNetwork(members.required("network")), address))
        case .joinFailed:
            let word = try members.required("why").word(LockWiFiEvent.failures.map(\.word))
            self = .station(.joinFailed(LockWiFiEvent.failures.first { $0.word == word }?.failure ?? .other))
        case .lost: self = .station(.lost)
        case .refused: self = .refused
        }
    }
}

extension WiFiNetwork {
    fileprivate var object: JSONObject {
        [
            "name": Hexadecimal.text(name.octets), "address": address.description, "band": band.word,
            "channel": channel, "security": security.word, "rssi": rssi,
        ]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["name", "address", "band", "channel", "security", "rssi"])
        let bands: [WiFiBand] = [.band2GHz, .band5GHz, .band6GHz]
        let band = try members.required("band").word(bands.map(\.word))
        self.init(
            name: try members.required("name").wifiName(), address: try members.required("address").wifiAddress(),
            band: bands.first { $0.word == band } ?? .band2GHz,
            channel: UInt32(try members.required("channel").number(0...0xFFFF)),
            security: try members.required("security").wifiSecurity(),
            rssi: Int8(try members.required("rssi").number(-128...127)))
    }
}
