// SPDX-License-Identifier: Apache-2.0

import Crypto
import JSON
import System

/// `readerd aliro`: shows the public key of the Aliro reader, for phones or for its certificate.
struct AliroCommand: Equatable, ReaderdArguments {
    var stateDirectory = RunOptions.defaultStateDirectory
    var isJSON = false
    /// True to replace a lost or damaged store by an empty one.
    var emptiesStore = false

    var command: CommandName { .aliro }

    var options: [CommandOption<AliroCommand>] {
        [
            .value("--state") { $0.stateDirectory = $1 }, .flag("--json") { $0.isJSON = true },
            .flag("--empty-store") { $0.emptiesStore = true },
        ]
    }

    /// Carries out the command. Returns the exit status.
    func perform(_ console: Console) throws(ReaderdError) -> Int32 {
        let state = try StateDirectory(stateDirectory)
        let files = AliroFiles(state: state)
        if emptiesStore { try emptyStore(files, state) }
        let key = try StateLock.publicKey(in: state, for: command, find: files.key, make: files.makeKey)
        let point = AliroFiles.text(key.point)
        console.print(isJSON ? (["key": point] as JSONObject).text : point)
        return 0
    }

    private func emptyStore(_ files: AliroFiles, _ state: StateDirectory) throws(ReaderdError) {
        let lock = try StateLock.acquire(state, for: command)
        defer { lock.release() }
        guard let key = try files.key() else {
            throw .failed("\(state.file(AliroFiles.keyName)): missing; run readerd aliro without --empty-store")
        }
        try files.makeStore(key)
    }

    static let help = """
        readerd aliro [--state DIR] [--json] [--empty-store]

        Shows the public key of the Aliro reader: the point (04, X, Y) that phones or the authority of its certificate
        need. The private key is made on the device, at the first call or the first start with "aliro" in
        credentials.card-kinds, and is never shown. docs/operate/aliro.md says how phones are enrolled.

            readerd aliro --state /var/lib/readerd

        --state DIR        The state directory, \(RunOptions.defaultStateDirectory) by default.
        --json             The key as JSON.
        --empty-store      Replaces a lost or damaged store by an empty one, while no reader runs. Phones go through the
                           standard phase again; revocations by documents are lost until a phone brings them.
        """
}
