// SPDX-License-Identifier: Apache-2.0

package import Emulation
import Peripheral
package import VirtualRadio

/// A place on the air for one host, in the notation of `--listen`: `NAME=tcp:HOST:PORT[,legacy][,strict]`,
/// `NAME=unix:PATH` or `NAME=pty:PATH`.
package struct PlacePlan: Equatable {
    /// The connection for hosts.
    enum Way: Equatable {
        /// A TCP port; 0 for a free one.
        case tcp(host: String, port: UInt16)
        /// A Unix stream socket.
        case unix(path: String)
        /// A symbolic link to a pseudo-terminal.
        case terminal(path: String)
    }

    /// The maximum number of places.
    package static let maximumCount = 32
    /// The maximum length of a name.
    package static let maximumName = 16
    /// The name of the air as a whole in the column of places.
    private static let nameOfAll = "air"

    /// The capacity of RootCanal's resolving list, which Android's host meets elsewhere.
    private static let resolvingListSize = 16

    package var name: String
    var way: Way
    /// True for a 4.0 controller, without extensions.
    var isLegacy = false
    /// True if a command that the controller does not support is a violation of its host; false for hosts that ask for
    /// BR/EDR too, as Android's.
    var isStrict = false

    /// The words after a place.
    private static let legacyWord = ",legacy", strictWord = ",strict"

    /// The places if `--listen` is not given.
    package static let usual = [
        PlacePlan(name: "reader", way: .tcp(host: "127.0.0.1", port: 7300)),
        PlacePlan(name: "phone", way: .tcp(host: "127.0.0.1", port: 7301)),
    ]

    package var profile: ControllerProfile {
        var profile = isLegacy ? ControllerProfile.legacy : .modern
        profile.admitsDualModeHosts = !isStrict
        if !isStrict, !isLegacy { profile.resolvingListSize = PlacePlan.resolvingListSize }
        return profile
    }

    init(name: String, way: Way, isLegacy: Bool = false, isStrict: Bool = false) {
        self.name = name
        self.way = way
        self.isLegacy = isLegacy
        self.isStrict = isStrict
    }

    init(_ text: String) throws(CommandFault) {
        guard let equals = text.firstIndex(of: "=") else {
            throw CommandFault("\(text.debugDescription) has no name; write NAME=tcp:HOST:PORT, unix:PATH or pty:PATH")
        }
        name = try PlacePlan.checked(name: String(text[..<equals]))
        var rest = text[text.index(after: equals)...]
        while let word = [PlacePlan.legacyWord, PlacePlan.strictWord].first(where: { rest.hasSuffix($0) }) {
            rest = rest.dropLast(word.count)
            if word == PlacePlan.legacyWord { isLegacy = true } else { isStrict = true }
        }
        way = try PlacePlan.way(rest)
    }

    /// Parses the places of the options.
    package static func all(listen: [String], legacy: [String]) throws(CommandFault) -> [PlacePlan] {
        var plans: [PlacePlan] = []
        for text in listen {
            let plan = try PlacePlan(text)
            guard !plans.contains(where: { $0.name == plan.name }) else {
                throw CommandFault("two places are called \(plan.name); give them different names")
            }
            plans.append(plan)
        }
        guard plans.count <= maximumCount else {
            throw CommandFault("--listen is given \(plans.count) times; \(maximumCount) are the most")
        }
        if plans.isEmpty { plans = usual }
        for name in legacy {
            guard let index = plans.firstIndex(where: { $0.name == name }) else {
                let names = plans.map(\.name).joined(separator: ", ")
                throw CommandFault("--legacy \(name.debugDescription): there is no such place; there are \(names)")
            }
            plans[index].isLegacy = true
        }
        return plans
    }

    private static func checked(name: String) throws(CommandFault) -> String {
        let isPlain = name.utf8.allSatisfy { octet in
            switch octet {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isPlain, (1...maximumName).contains(name.utf8.count), name != nameOfAll else {
            throw CommandFault(
                "\(name.debugDescription) is no name of a place; write 1 to \(maximumName) letters, digits, - . or _, "
                    + "and not \(nameOfAll)")
        }
        return name
    }

    private static func way(_ text: Substring) throws(CommandFault) -> Way {
        let kinds = "write tcp:HOST:PORT, unix:PATH or pty:PATH"
        guard let colon = text.firstIndex(of: ":") else {
            throw CommandFault("\(String(text).debugDescription): \(kinds)")
        }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "tcp": return try tcp(rest)
        case "unix": return .unix(path: try path(rest))
        case "pty": return .terminal(path: try path(rest))
        default: throw CommandFault("\(String(text[..<colon]).debugDescription) is no kind of place; \(kinds)")
        }
    }

    private static func tcp(_ text: Substring) throws(CommandFault) -> Way {
        let fault = CommandFault(
            "\(String(text).debugDescription) is no address and port; write tcp:127.0.0.1:7300, tcp:[::1]:7300, or "
                + "port 0 for a free one")
        guard let colon = text.lastIndex(of: ":") else { throw fault }
        var host = text[..<colon]
        let port = text[text.index(after: colon)...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.utf8.contains(0), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(port)
        else { throw fault }
        return .tcp(host: host == "localhost" ? "127.0.0.1" : String(host), port: port)
    }

    /// Checks the path of a socket or link.
    package static func path(_ text: Substring) throws(CommandFault) -> String {
        guard !text.isEmpty, !text.utf8.contains(0), !text.hasPrefix("@") else {
            throw CommandFault("\(String(text).debugDescription) is no path of a file")
        }
        guard text.utf8.count <= TransportName.maximumUnixPathCount else {
            throw CommandFault(
                "the path \(text) has \(text.utf8.count) octets, and \(TransportName.maximumUnixPathCount) are the most"
            )
        }
        return String(text)
    }
}
