// SPDX-License-Identifier: Apache-2.0

/// The command line of this process for a shell, without the options that name reports: they change no result.
package enum RepeatedCommand {
    private static let reports = ["--junit", "--report", "--baseline", "--save-baseline"]

    /// The command.
    package static func text(_ arguments: [String] = CommandLine.arguments) -> String {
        var kept = ["readerlab"]
        var skips = false
        var isHosts = false
        for argument in arguments.dropFirst() {
            if skips {
                skips = false
            } else if !isHosts, reports.contains(argument) {
                skips = true
            } else if isHosts || !reports.contains(where: { argument.hasPrefix($0 + "=") }) {
                kept.append(quoted(argument))
            }
            if argument == "--" { isHosts = true }
        }
        return kept.joined(separator: " ")
    }

    private static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.utf8.allSatisfy { octet in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20) || (0x2B...0x3A).contains(octet)
                    || octet == UInt8(ascii: "_") || octet == UInt8(ascii: "=")
            }
        return isPlain
            ? argument
            : "'\(argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
