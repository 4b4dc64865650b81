// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import Commands
import Console
import Phone
import PhoneTool
import Timekeeping

/// `readerlab phone time`.
struct PhoneTimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "Show the reader's clock, or set it.",
        discussion: """
            Without --set it shows what STATUS tells. A reader whose clock is synchronised takes no time from phones, and \
            the others take a day back at most (docs/operate/configuration.md). With a bundle it takes a maintenance \
            token, or one \
            for CLK_SET.

              readerlab phone time --hci hci-socket:0
              readerlab phone time --hci hci-socket:0 --set now
              readerlab phone time --hci hci-socket:0 --set 2026-11-22T13:00:00+01:00
            """)

    @OptionGroup var options: PhoneVisitOptions

    @Option(help: ArgumentHelp("The new time: this machine's, or with its offset from UTC.", valueName: "now|TIME"))
    var set: String?

    func validate() throws { _ = try setting() }

    /// The time to set; nil for none.
    func setting() throws -> PhoneRequest.ClockSetting? {
        guard let set else { return nil }
        if set == "now" { return .now }
        guard let epoch = ZonedTime.epochSeconds(set[...]).flatMap(UInt32.init(exactly:)) else {
            throw ValidationError("--set \(set.debugDescription): write now, or as 2026-11-22T13:00:00+01:00")
        }
        return .at(epoch)
    }

    func run() throws {
        guard let setting = try setting() else {
            return try PhoneVisitRun.perform(options, .command(.status), showing: .clock) { _ in .requests([.status]) }
        }
        try PhoneVisitRun.perform(options, .command(.setTime), or: .command(.setClock), showing: .clock) { need in
            need == .command(.setClock)
                ? .requests([.command(.setClock, .time(setting))])
                : .requests([.command(.setTime, .time(setting)), .status])
        }
    }
}

/// `readerlab phone update`.
struct PhoneUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Send the phone's time, and a configuration: UPDATE.",
        discussion: """
            The file is an encoded SystemConfig (protocols/access/configuration.proto), as protoc makes it from text:

              protoc --proto_path protocols --encode access.SystemConfig \\
                access/configuration.proto < front.txtpb > front.pb
              readerlab phone update --hci hci-socket:0 --configuration front.pb

            What the reader takes of it is in docs/operate/configuration.md.
            """)

    @OptionGroup var options: PhoneVisitOptions

    @Option(
        help: ArgumentHelp("The configuration, encoded. It may hold a passphrase: keep it private.", valueName: "FILE"))
    var configuration: String?

    /// The maximum length of a file in octets, which a token can carry.
    private static let maximumCount = 1792

    func run() throws {
        let message = try configuration.map(PhoneUpdateCommand.load)
        try PhoneVisitRun.perform(options, .command(.update)) { _ in .requests([.command(.update, .update(message))]) }
    }

    /// The configuration in a file.
    static func load(_ path: String) throws(CommandError) -> SystemConfig {
        let octets = try InputFile.octets(path, maximum: maximumCount, "an encoded SystemConfig")
        guard octets.count <= maximumCount, let message = PhoneRequest.configuration(octets) else {
            throw .misuse(
                "\(path): is no encoded SystemConfig; make it with protoc, see: readerlab phone update --help")
        }
        return message
    }
}
