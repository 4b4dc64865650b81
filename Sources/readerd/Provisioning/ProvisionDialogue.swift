// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader

/// `readerd provision` on a terminal and without options: asks for each part, shows what follows, and does it after a
/// yes. It asks for no secret: the terminal key is generated here, and of the backend's key the public half is read.
struct ProvisionDialogue {
    let console: Console
    /// Asks a question, and returns the answer's line; nil at the end of the input.
    let ask: (String) -> String?

    /// The part that needs the rights of the operator: the signature key's file, before the state directory's owner is
    /// taken on. Returns its path and its key; nil if it comes later.
    func signatureKey(
        _ read: (String) throws(ReaderdError) -> P256PublicKey
    ) throws(ReaderdError) -> (path: String, key: P256PublicKey)? {
        console.print(
            "Gives this reader an identity. Its terminal key is generated here, and never leaves it.\n"
                + "An empty answer takes the value in brackets; Ctrl-C ends this, and nothing has changed.\n")
        while true {
            let path = try answer("File with the backend's public signature key, PEM", "add it later")
            guard !path.isEmpty else { return nil }
            do throws(ReaderdError) { return (path, try read(path)) } catch { console.complain("\(error)") }
        }
    }

    /// The options of a new identity in `state`.
    func newIdentity(in state: String, hasKey: Bool) throws(ReaderdError) -> ProvisionOptions {
        var options = ProvisionOptions()
        options.siteID = try number("Number of the site, 1 to 65535")
        options.doorID = try number("Number of the door, 1 to 65535")
        while true {
            let identifier = try answer("Device id, 8 characters, visible to all in range", "generated")
            if identifier.isEmpty { break }
            if IdentityFiles.isDeviceID(identifier) {
                options.deviceID = identifier
                break
            }
            console.complain("it needs \(ReaderIdentity.deviceIDCount) printable ASCII characters, without a space")
        }
        try confirm([
            "a new identity in \(state), which replaces the published demo identity",
            "device id \(options.deviceID ?? "generated"), site \(options.siteID ?? 1), door \(options.doorID ?? 1)",
            hasKey
                ? "tokens under the signature key of that file"
                : "no signature key yet: the reader does not start until readerd provision has added it",
        ])
        return options
    }

    /// Confirms that the signature key is added to an identity without one.
    func confirmAdding(_ path: String, to deviceID: String) throws(ReaderdError) {
        try confirm(["\(path) as the signature key of \(deviceID), which has none yet"])
    }

    private func confirm(_ steps: [String]) throws(ReaderdError) {
        console.print("\nThis makes:")
        for step in steps { console.print("  \(step)") }
        guard ["y", "yes"].contains(try answer("Go on? y or n", "n").lowercased()) else {
            throw .failed("nothing has changed")
        }
    }

    private func number(_ question: String) throws(ReaderdError) -> Int {
        while true {
            let text = try answer(question, "1")
            if text.isEmpty { return 1 }
            if let number = ProvisionedDoor.number(text[...]) { return number }
            console.complain("it needs a whole number from 1 to 65535")
        }
    }

    private func answer(_ question: String, _ otherwise: String) throws(ReaderdError) -> String {
        guard let line = ask("\(question) [\(otherwise)]: ") else { throw .failed("no answer: nothing has changed") }
        return line.trimmingSpaces()
    }
}

extension String {
    /// Without spaces and tabs at both ends.
    fileprivate func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
