// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import ContactlessAir
import Emulation
import SharedAir

/// `readerlab air`: virtual controllers on one air, in real time, for hosts in other processes.
struct AirCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "air",
        abstract: "Virtual controllers on one air, for any host: readerd, devices, Bumble.",
        discussion: """
            Each place is a Bluetooth LE controller that a host reaches by H4. Without --listen there are two, for a \
            reader and a phone:

              readerlab air
              readerd run --hci tcp-client:127.0.0.1:7300
              readerlab phone open --hci tcp-client:127.0.0.1:7301

            Places may be Unix sockets and pseudo-terminals too; a legacy one is a 4.0 controller:

              readerlab air --listen reader=pty:/tmp/tty --listen phone=tcp:127.0.0.1:0
              readerlab air --listen reader=unix:/tmp/hci,legacy --listen phone=unix:/tmp/p

            A reader's NFC chip is a pseudo-terminal, and cards of other processes enter its field (readerlab card, \
            readerlab phone open --as-card):

              readerlab air --nfc reader=pty:/tmp/nfc --field unix:/tmp/field
              readerd run --config reader.toml, which polls pn532_uart:/tmp/nfc
              readerlab card pkoc --field unix:/tmp/field --key card.pem

            The Android Emulator is a host too, by its own protocol (docs/emulators/android-emulator.md):

              readerlab air --netsim --netsim-listen 127.0.0.1:8554
              emulator @AVD -packet-streamer-endpoint 127.0.0.1:8554

            While it runs, a line typed or sent to the control socket changes the air: how strongly places receive \
            each other, walks, walls, loss. help lists them; docs/emulators/air.md explains them.
            """)

    @Option(
        help: ArgumentHelp(
            "A place: NAME=tcp:HOST:PORT (0: a free one), NAME=unix:PATH or NAME=pty:PATH, with ,legacy behind it for "
                + "a 4.0 controller, and ,strict to report commands that it does not support. May be repeated.",
            valueName: "PLACE"))
    var listen: [String] = []

    @Option(help: ArgumentHelp("The place of this name has a 4.0 controller. May be repeated.", valueName: "NAME"))
    var legacy: [String] = []

    @Option(help: ArgumentHelp("A socket that takes the same commands as a terminal.", valueName: "unix:PATH"))
    var control: String?

    @Option(
        help: ArgumentHelp(
            "Write what is sent on the air and to the hosts as pcapng, for Wireshark.", valueName: "FILE"))
    var capture: String?

    @Option(help: "Seed of everything random on the air: advertising delays, loss.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The NFC chip of a reader that polls: NAME=pty:PATH. May be repeated.", valueName: "READER"))
    var nfc: [String] = []

    @Option(help: ArgumentHelp("With --nfc: the socket by which cards enter the field.", valueName: "unix:PATH"))
    var field: String?

    @OptionGroup(title: "Android Emulator")
    var netsim: NetsimOptions

    @Flag(help: "One JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "With --plan: the control socket of the reader at the first place, to show it.", valueName: "SOCKET"))
    var reader: String?

    @Flag(help: "With --json: the floor plan, and ten times a second the scene on it if it has changed.")
    var plan = false

    func validate() throws {
        do throws(CommandFault) {
            let plans = try PlacePlan.all(listen: listen, legacy: legacy)
            _ = try netsim.plan()?.places(addedTo: plans, in: "")
            _ = try controlPath()
            _ = try FieldPlan.parse(nfc: nfc, field: field)
        } catch {
            throw ValidationError(error.description)
        }
    }

    private func controlPath() throws(CommandFault) -> String? {
        guard let control else { return nil }
        guard control.hasPrefix("unix:") else {
            throw CommandFault("--control \(control.debugDescription): write unix:PATH")
        }
        return try PlacePlan.path(control.dropFirst("unix:".count))
    }

    func run() throws {
        var plans = try PlacePlan.all(listen: listen, legacy: legacy)
        let netsimPlan = try netsim.plan()
        let radio = try netsimPlan.map { plan throws(CommandError) in try NetsimRadio(plan) }
        if let netsimPlan, let radio { plans += try netsimPlan.places(addedTo: plans, in: radio.directory) }
        let file = try capture.map { path throws(CommandError) in try AirCaptureFile(path) }
        let server = try AirServer(
            plans, seed: seed, control: try controlPath(), capture: file, json: json, showsPlan: json && plan,
            reader: reader, field: try FieldPlan.parse(nfc: nfc, field: field), netsim: radio)
        let help = "help lists what can be typed; Ctrl-C ends the air"
        try server.run(next: listen.isEmpty ? AirCommand.next : [help])
    }

    /// The commands to try next, for a user of the default places.
    private static let next = [
        "next: readerd run --hci tcp-client:127.0.0.1:7300 --state ./state --control ./control.sock",
        "then: readerlab phone open --hci tcp-client:127.0.0.1:7301; help lists what can be typed here",
    ]
}
