// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import Octets
import Phone
import PhoneTool
import Timekeeping

/// `readerlab phone open`.
struct PhoneOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a door: find the reader, connect, show the token.",
        discussion: """
            Each step is told with the milliseconds since the scan began, and what it took itself. A refusal is told in \
            one line, with what to do.

              readerlab phone open --hci hci-socket:0
              readerlab phone open --hci hci-socket:0 --bundle phone.json --repeat 20
            """)

    @OptionGroup var options: PhoneVisitOptions
    @OptionGroup var repetition: PhoneRepeatOption

    func run() throws {
        try PhoneVisitRun.perform(options, .opening, visits: repetition.visits) { _ in .token }
    }
}

/// `readerlab phone command`.
struct PhoneAskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Give the reader a command, and show its answer.",
        discussion: """
            docs/protocol/commands.md lists the commands: PING, STATUS, EV_QUERY, tokn, enof, gcfg, … The data are \
            octets in \
            hexadecimal; queries of the logs have some of their own. With the demo identity any command is signed on \
            the spot. With a bundle, a token for this command is taken, or one for the group of maintenance commands.

              readerlab phone command STATUS --hci hci-socket:0
              readerlab phone command BL_CLEAR --hci hci-socket:0 --bundle phone.json
            """)

    @OptionGroup var options: PhoneVisitOptions
    @OptionGroup var repetition: PhoneRepeatOption

    @Argument(help: ArgumentHelp("The command, 1 to 8 characters.", valueName: "COMMAND"))
    var name: String

    @Argument(help: ArgumentHelp("The command's data, in hexadecimal.", valueName: "DATA"))
    var data: String?

    func validate() throws {
        guard 1...CommandName.octetLimit ~= name.utf8.count,
            name.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") })
        else { throw ValidationError("a command is 1 to 8 printable ASCII characters, without a colon") }
        guard let data else { return }
        guard Hexadecimal.octets(data) != nil else {
            throw ValidationError("the data are hexadecimal digits, two for each octet")
        }
    }

    func run() throws {
        let command = CommandName(rawValue: name)
        let payload = data.flatMap { Hexadecimal.octets($0) }.map(PhoneRequest.Payload.octets) ?? .usual(of: command)
        try PhoneVisitRun.perform(options, .command(command), visits: repetition.visits) { _ in
            .requests([.command(command, payload)])
        }
    }
}

/// `readerlab phone events`.
struct PhoneEventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show the newest events of the reader's log, oldest first.",
        discussion: """
            They are those that a phone may read (docs/operate/events.md), and the times are the reader's local ones.

              readerlab phone events --hci hci-socket:0 --last 50
              readerlab phone events --hci hci-socket:0 --since 2026-11-22T08:00
            """)

    @OptionGroup var options: PhoneVisitOptions

    @Option(help: ArgumentHelp("How many at most, 1 to \(EventReading.maximumCount).", valueName: "N"))
    var last: Int?

    @Option(help: ArgumentHelp("From when on: a day, or 2026-11-22T08:00, in the reader's time.", valueName: "DATE"))
    var since: String?

    private static let usualCount = 20

    func validate() throws {
        if let last, !(1...EventReading.maximumCount ~= last) {
            throw ValidationError("--last is 1 to \(EventReading.maximumCount)")
        }
        if let since { _ = try TokenOptions.time("--since", since, .first) }
    }

    func run() throws {
        let start = try since.map { try TokenOptions.time("--since", $0, .first) }
        let count = last ?? (since == nil ? PhoneEventsCommand.usualCount : EventReading.maximumCount)
        try PhoneVisitRun.perform(options, .command(.eventQuery), showing: .events) { _ in
            .events(EventReading(last: count, since: start))
        }
    }
}

extension PhoneRequest.Payload {
    /// The default data of a command, such as a query for the newest entries of a log.
    static func usual(of command: CommandName) -> PhoneRequest.Payload {
        switch command {
        case .eventQuery: .newestEvents
        case .systemLogQuery: .newestLines
        case .setTime, .setClock: .time(.now)
        case .update: .update(nil)
        default: .none
        }
    }
}
