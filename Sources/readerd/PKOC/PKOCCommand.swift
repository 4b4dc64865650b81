// SPDX-License-Identifier: Apache-2.0

import Crypto
import JSON
import System

/// `readerd pkoc`: shows the site's public key, for phones with PKOC credentials.
struct PKOCCommand: Equatable, ReaderdArguments {
    var stateDirectory = RunOptions.defaultStateDirectory
    var isJSON = false

    var command: CommandName { .pkoc }

    var options: [CommandOption<PKOCCommand>] {
        [.value("--state") { $0.stateDirectory = $1 }, .flag("--json") { $0.isJSON = true }]
    }

    /// Carries out the command. Returns the exit status.
    func perform(_ console: Console) throws(ReaderdError) -> Int32 {
        let state = try StateDirectory(stateDirectory)
        let key = try StateLock.publicKey(in: state, for: command) { () throws(ReaderdError) in
            try StoredKey.pkocSite.load(from: state)
        } make: { () throws(ReaderdError) in
            try StoredKey.pkocSite.make(in: state)
        }
        let text = ReaderPKOC.text(key)
        console.print(isJSON ? (["key": text] as JSONObject).text : text)
        return 0
    }

    static let help = """
        readerd pkoc [--state DIR] [--json]

        Shows the public key of the site (04, X, Y) that phones with PKOC credentials need for the flow with ECDHE. The
        private key is made on the device, at the first call or the first start with "pkoc" in advertising.modes, and is
        never shown. The doors of a site have the same one: docs/operate/pkoc.md says how it gets there.

            readerd pkoc --state /var/lib/readerd

        --state DIR        The state directory, \(RunOptions.defaultStateDirectory) by default.
        --json             The key as JSON.
        """
}
