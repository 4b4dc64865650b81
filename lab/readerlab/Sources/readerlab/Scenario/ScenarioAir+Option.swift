// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabRuns
import Peripheral

extension ScenarioAir {
    /// The kinds of transports: a part of a list that begins with one is a new name.
    private static let kinds: Set<Substring> = ["hci-socket", "netsim", "serial", "tcp-client", "unix"]

    /// Parses `virtual`, `rootcanal:PLACE` or `hci:NAME,NAME,…`.
    ///
    /// - Throws: `ValidationError` with the correct form.
    init(_ text: String) throws {
        let rest = text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) } ?? ""
        switch text.prefix(while: { $0 != ":" }) {
        case "virtual" where rest.isEmpty: self = .virtual
        case "rootcanal":
            let name = try ScenarioAir.transport(rest)
            switch name {
            case .unix, .tcpClient: self = .rootCanal(control: name)
            default: throw ValidationError("--air rootcanal: takes the radio's control, as unix:PATH")
            }
        case "hci": self = .controllers(try ScenarioAir.list(rest).map(ScenarioAir.transport))
        default:
            throw ValidationError(
                "--air \(text.debugDescription): write virtual, rootcanal:unix:PATH or hci:NAME,NAME")
        }
    }

    private static func transport(_ text: String) throws -> TransportName {
        do throws(TransportNameError) { return try TransportName(text) } catch {
            throw ValidationError("--air: \(error)")
        }
    }

    /// The names of a list. The name of a serial line contains commas, too.
    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) { names, part in
            if names.isEmpty || kinds.contains(part.prefix { $0 != ":" }) {
                names.append(String(part))
            } else {
                names[names.count - 1] += "," + part
            }
        }
    }
}
