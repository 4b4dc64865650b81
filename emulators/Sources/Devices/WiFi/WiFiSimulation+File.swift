// SPDX-License-Identifier: Apache-2.0

public import JSON
import WiFi
import WiFiStation

extension WiFiSimulation {
    /// The maximum length of a file in octets: three times the length of a file with a thousand access points.
    public static let maximumFileCount = 1_048_576
    /// The maximum number of access points: a driver's list has a few hundred.
    public static let maximumAccessPoints = 1000

    /// Reads a simulation from a JSON text. Every member but `networks` is optional.
    ///
    /// ```json
    /// {"networks": [{"ssid": "Home", "bssid": "aa:bb:cc:dd:ee:ff", "channel": 6, "band": "2.4",
    ///                "security": ["wpa2-psk", "wpa3-psk"], "rssi": -50, "passphrase": "…"}],
    ///  "ip": "192.168.0.42", "pairing": {"tokens": ["…", {"token": "…", "expires-s": 600, "user": "…"}]},
    ///  "steps": {"address": {"fail": "ip", "delay-ms": 2000}}}
    /// ```
    ///
    /// - Parameter use: what of it the device has; the rest is refused.
    public init(json: [UInt8], for use: Use = .camera) throws(JSONPlaceFault) {
        guard json.count <= WiFiSimulation.maximumFileCount else {
            throw JSONPlaceFault(
                line: 1, path: "", "has \(json.count) octets, and \(WiFiSimulation.maximumFileCount) are the most")
        }
        let members = try JSONPlace(file: json).members(["networks", "ip", "mac", "pairing", "steps"])
        let networks = try members.required("networks").elements()
        guard networks.count <= WiFiSimulation.maximumAccessPoints else {
            throw try members.required("networks").fault(
                "has \(networks.count) networks, and \(WiFiSimulation.maximumAccessPoints) are the most")
        }
        self.init()
        for (index, place) in networks.enumerated() {
            let accessPoint = try AccessPoint(place, number: index)
            // Names may share an address; without another name the two are one access point.
            let isTwice = accessPoints.contains {
                $0.network.address == accessPoint.network.address && $0.name == accessPoint.name
            }
            guard !isTwice else {
                throw place.fault("has the name and the bssid \(accessPoint.network.address) of another one")
            }
            accessPoints.append(accessPoint)
        }
        if let place = members["ip"] { ipv4 = try WiFiSimulation.ipv4(place) }
        if let place = members["mac"] { address = try WiFiSimulation.hardwareAddress(place) }
        if let place = members["pairing"] {
            guard use == .camera else { throw place.fault("has no effect: this device redeems no tokens") }
            let tokens = try place.members(["tokens"]).required("tokens").elements()
            for token in tokens { pairingTokens.append(try WiFiSimulation.pairingToken(token)) }
        }
        if let place = members["steps"] { try readSteps(place, use) }
    }

    private mutating func readSteps(_ place: JSONPlace, _ use: Use) throws(JSONPlaceFault) {
        let members = try place.members(Step.allCases.map(\.rawValue))
        for step in Step.allCases {
            guard let place = members[step.rawValue] else { continue }
            guard use.steps.contains(step) else {
                let steps = use.steps.map(\.rawValue).joined(separator: ", ")
                throw place.fault("has no effect: the steps of this device are \(steps)")
            }
            let members = try place.members(["fail", "delay-ms"])
            if let delay = members["delay-ms"] {
                guard step != .leave, step != .status else {
                    throw delay.fault("has no effect: \(step.rawValue) takes no time; leave it out")
                }
                guard members["fail"] == nil || !step.isRefused else {
                    throw delay.fault(
                        "has no effect beside fail: \(step.rawValue) is refused at once; keep one of them")
                }
            }
            var script = Script()
            if let place = members["fail"] {
                script.failure = Script.Failure(rawValue: try place.word(step.failures.map(\.rawValue)))
            }
            script.delay = try members["delay-ms"].map(WiFiSimulation.delay)
            scripts[step] = script
        }
    }

    /// A token as text, or with its limits. Errors do not quote it.
    private static func pairingToken(_ place: JSONPlace) throws(JSONPlaceFault) -> PairingServer.Issued {
        let members = place.has("token") ? try place.members(["token", "expires-s", "user"]) : nil
        let text: String
        if let members { text = try members.required("token").text() } else { text = try place.text() }
        guard let token = PairingToken(Array(text.utf8)) else {
            throw place.fault("a token has 1 to \(PairingToken.maximumCount) octets as UTF-8")
        }
        // The maximum is a year: longer than any run.
        let expiry = try members?["expires-s"]?.number(0...31_536_000)
        return PairingServer.Issued(
            token, expiry: expiry.map { .seconds($0) }, userID: try members?["user"]?.text())
    }

    private static func ipv4(_ place: JSONPlace) throws(JSONPlaceFault) -> IPv4Address {
        let text = try place.text()
        guard let address = IPv4Address(text) else {
            throw place.fault("\(text.debugDescription) is no IPv4 address; write it as 192.168.0.42")
        }
        return address
    }

    fileprivate static func hardwareAddress(_ place: JSONPlace) throws(JSONPlaceFault) -> WiFiAddress {
        let text = try place.text()
        guard let address = WiFiAddress(text) else {
            throw place.fault("\(text.debugDescription) is no hardware address; write it as aa:bb:cc:dd:ee:ff")
        }
        return address
    }

    fileprivate static func delay(_ place: JSONPlace) throws(JSONPlaceFault) -> Duration {
        // The maximum is an hour: longer than any phone waits.
        .milliseconds(try place.number(0...3_600_000))
    }
}

extension WiFiSimulation {
    /// The devices that use a simulation. They differ in the parts that they use.
    public enum Use: Equatable, Sendable {
        /// A camera, which checks its connectivity and redeems pairing tokens.
        case camera
        /// A chip that is provisioned, or a Matter device.
        case station
        /// A chip on its own access point, which it leaves for the network.
        case softAP

        /// The steps that can be scripted.
        var steps: [Step] {
            let joining: [Step] = [.scan, .join, .authentication, .association, .address]
            return switch self {
            // It leaves a network only when nothing depends on it.
            case .camera: joining + [.status, .connectivity, .pairing]
            case .station: joining + [.leave, .status]
            case .softAP: joining
            }
        }
    }
}

extension WiFiSimulation.Step {
    /// True if a failure refuses the request itself, at once.
    var isRefused: Bool { [.scan, .join, .leave, .status].contains(self) }

    /// The failures that the step supports.
    var failures: [WiFiSimulation.Script.Failure] {
        switch self {
        case .scan, .join, .leave, .status: [.invalid, .failed]
        case .authentication: [.authentication, .networkNotFound, .timeout, .failed]
        case .association: [.authentication, .timeout, .failed]
        case .address: [.address, .timeout, .failed]
        case .connectivity, .pairing: [.timeout, .failed]
        }
    }
}

extension WiFiSimulation.AccessPoint {
    private static let bands: [(String, WiFiBand, ClosedRange<Int>)] = [
        // Channels according to IEEE 802.11-2020, Annex E.
        ("2.4", .band2GHz, 1...14), ("5", .band5GHz, 1...196), ("6", .band6GHz, 1...233),
    ]
    private static let failures: [(String, WiFiJoinFailure)] = [
        ("auth", .authentication), ("not-found", .networkNotFound), ("timeout", .timeout), ("ip", .address),
        ("failed", .other),
    ]
    private static let known = [
        "ssid", "ssid-hex", "hidden", "bssid", "channel", "band", "security", "rssi", "passphrase", "fail", "delay-ms",
    ]

    /// Reads an access point from an element of `networks`. Omitted values are generated, different for each.
    fileprivate init(_ place: JSONPlace, number: Int) throws(JSONPlaceFault) {
        typealias AccessPoint = WiFiSimulation.AccessPoint
        let members = try place.members(AccessPoint.known)
        let name = try AccessPoint.name(members)
        let bandText = try members["band"]?.word(AccessPoint.bands.map(\.0)) ?? "2.4"
        let (_, band, channels) = AccessPoint.bands.first { $0.0 == bandText } ?? AccessPoint.bands[0]
        let channel = try members["channel"]?.number(channels) ?? channels.lowerBound
        let stated = try members["security"].map(AccessPoint.security)
        let isHidden = try members["hidden"]?.boolean() ?? false
        let low = UInt8(truncatingIfNeeded: number), high = UInt8(truncatingIfNeeded: number >> 8)
        let passphrase = try members["passphrase"].map(AccessPoint.passphrase)
        let security = stated ?? (passphrase == nil ? .open : .wpaWPA2PSK)
        if let place = members["passphrase"], let passphrase {
            guard security.wantsPassphrase else {
                throw place.fault("has no effect: security \(security) has no passphrase")
            }
            if let problem = WiFiSecret.problem(passphrase, security) { throw place.fault(problem) }
        }
        let network = WiFiNetwork(
            name: isHidden ? WiFiName([]) ?? name : name,
            address: try members["bssid"].map(WiFiSimulation.hardwareAddress)
                ?? WiFiAddress(0x02, 0x00, 0x00, 0x00, high, low),
            band: band, channel: UInt32(truncatingIfNeeded: channel),
            security: security,
            rssi: Int8(truncatingIfNeeded: try members["rssi"]?.number(-127...0) ?? -50))
        let failure = try members["fail"]?.word(AccessPoint.failures.map(\.0))
        self.init(
            network, name: name, passphrase: passphrase,
            failure: AccessPoint.failures.first { $0.0 == failure }?.1,
            delay: try members["delay-ms"].map(WiFiSimulation.delay))
    }

    /// A security by its word, or several in a list. Only types with a passphrase and WPA2 go together.
    private static func security(_ place: JSONPlace) throws(JSONPlaceFault) -> WiFiSecurity {
        guard case .array = place.node.content else { return try place.wifiSecurity() }
        var security: WiFiSecurity = []
        for element in try place.elements() { security.formUnion(try element.wifiSecurity()) }
        let together = WiFiSecurity.personal.union(.wpa2Enterprise)
        guard security.rawValue.nonzeroBitCount == 1 || !security.isEmpty && security.isSubset(of: together) else {
            throw place.fault("is no security of one network: open and wep stand alone")
        }
        return security
    }

    private static func name(_ members: JSONMembers) throws(JSONPlaceFault) -> WiFiName {
        if let place = members["ssid-hex"] {
            guard members["ssid"] == nil else { throw place.fault("stands beside \"ssid\"; keep one of them") }
            guard let name = WiFiName(try place.octets(maximum: WiFiName.maximumCount)) else {
                throw place.fault("is too long")
            }
            return name
        }
        let place = try members.required("ssid")
        let text = try place.text()
        guard let name = WiFiName(text) else {
            throw place.fault("has \(text.utf8.count) octets as UTF-8, and \(WiFiName.maximumCount) are the most")
        }
        return name
    }

    /// Reads a passphrase. Errors do not quote it.
    private static func passphrase(_ place: JSONPlace) throws(JSONPlaceFault) -> WiFiPassphrase {
        guard let passphrase = WiFiPassphrase(Array(try place.text().utf8)) else {
            throw place.fault("has more than \(WiFiPassphrase.maximumCount) octets as UTF-8")
        }
        return passphrase
    }
}
