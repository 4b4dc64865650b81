// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LoadGenerator

/// `readerlab bench bare`, started by `readerlab bench door`.
struct BenchBareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare",
        abstract: "Do the bare operations of libcrypto for the client of a socket; bench door starts it.",
        shouldDisplay: false)

    @Argument(help: "The socket, unix:PATH.")
    var transport: String

    func run() throws {
        if !BarePeer.serve(transport) { throw ExitCode(1) }
    }
}
