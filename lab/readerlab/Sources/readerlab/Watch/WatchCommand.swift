// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PhoneTool

/// `readerlab watch`: follows a running reader.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a running reader: links, the gate's readings, decisions, the door.",
        discussion: """
            Asks the reader's control socket, and changes nothing. On a page: readerlab web watch --control SOCKET.

              readerlab watch --control /run/readerd/control.sock

            Ends with Ctrl-C, or with 1 when the reader ends.
            """)

    @Option(help: ArgumentHelp("The reader's control socket.", valueName: "SOCKET"))
    var control: String

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() throws {
        try WatchProgram(control, json: json).run()
    }
}
