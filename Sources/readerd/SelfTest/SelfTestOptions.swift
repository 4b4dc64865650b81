// SPDX-License-Identifier: Apache-2.0

import Peripheral
import System

/// The arguments of `readerd self-test`.
struct SelfTestOptions: Equatable, ReaderdArguments {
    /// `--config`; nil for the default path.
    var configuration: String?
    /// `--hci`; takes precedence over the configuration.
    var hci: TransportName?
    var stateDirectory = RunOptions.defaultStateDirectory
    /// `--control`: the socket of a running reader; takes precedence over the configuration.
    var control: String?
    var parts = Set(SelfTestPart.allCases)
    /// `--timeout`: the limit for the controller, and another time for the NFC chip.
    var timeout = Duration.seconds(SelfTestOptions.defaultTimeoutSeconds)
    var isJSON = false
    /// `--board`: the path of the report on a person's observations; nil without the questions.
    var board: String?

    /// Enough for a controller whose first initialisation fails, and for four modes that take turns.
    static let defaultTimeoutSeconds = 10
    /// The permitted range; updaters wait no longer for a verdict.
    static let timeoutSeconds = 1...600

    var command: CommandName { .selfTest }

    var options: [CommandOption<SelfTestOptions>] {
        [
            .value("--config") { $0.configuration = $1 },
            .value("--hci") { test, value throws(ReaderdError) in test.hci = try TransportName(option: value) },
            .value("--state") { $0.stateDirectory = $1 },
            .value("--control") { $0.control = $1 },
            .value("--only") { test, value throws(ReaderdError) in test.parts = try SelfTestOptions.parts(value) },
            .value("--timeout") { test, value throws(ReaderdError) in
                let range = SelfTestOptions.timeoutSeconds
                guard value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let seconds = Int(value), range ~= seconds else {
                    throw .usage(
                        "--timeout takes whole seconds from \(range.lowerBound) to \(range.upperBound), not "
                            + "\"\(value)\"")
                }
                test.timeout = .seconds(seconds)
            },
            .flag("--json") { $0.isJSON = true }, .value("--board") { $0.board = $1 },
        ]
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        guard board == nil || !seen.contains("--only") else {
            throw .usage("--board reports on the whole board: it cannot be combined with --only")
        }
    }

    private static func parts(_ list: String) throws(ReaderdError) -> Set<SelfTestPart> {
        var parts: Set<SelfTestPart> = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let part = SelfTestPart(rawValue: String(name)) else {
                let names = SelfTestPart.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("unknown --only \"\(name)\"; the parts are \(names)")
            }
            parts.insert(part)
        }
        return parts
    }
}
