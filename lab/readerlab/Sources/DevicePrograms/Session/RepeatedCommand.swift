// SPDX-License-Identifier: Apache-2.0

/// The command that repeats a run, for its reports. Values of options that may hold a secret, such as a passcode or a
/// passphrase, are left out: reports are mailed.
enum RepeatedCommand {
    /// The options whose values hold no secret: devices, files, places, and the roles of a pairing.
    private static let open: Set<String> = [
        "--table", "--from", "--profile", "--fault", "--peer", "--name", "--address", "--links", "--hci", "--btsnoop",
        "--wait", "--scenario", "--transcript", "--junit", "--report", "--io", "--security-policy", "--pairing-window",
        "--echo-channel", "--bonds", "--write",
    ]
    /// Instead of a value that is left out.
    private static let omission = "…"
    /// The words before the options: `readerlab emulate gatt`.
    private static let names = 3

    /// The command of a process with these arguments, to be typed in a shell.
    static func text(_ arguments: [String]) -> String {
        var words: [String] = []
        var isOpen = true
        for (index, argument) in arguments.enumerated() {
            if index < names {
                words.append(index == 0 ? "readerlab" : quoted(argument))
            } else if argument.hasPrefix("--") {
                let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init)
                isOpen = open.contains(parts[0])
                guard parts.count == 2 else {
                    words.append(quoted(argument))
                    continue
                }
                words.append(parts[0] + "=" + (isOpen ? quoted(parts[1]) : omission))
            } else {
                words.append(isOpen && index > names ? quoted(argument) : omission)
            }
        }
        return words.joined(separator: " ")
    }

    /// The argument, in quotation marks if a shell would change it.
    private static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.utf8.allSatisfy { octet in
                switch octet {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-_./:,=@%+".utf8.contains(octet)
                }
            }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }
}
