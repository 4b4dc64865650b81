// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Peripheral
import Phone
import PhoneTool
import SimBLE

/// `readerlab phone simble`.
struct PhoneSimBLECommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simble",
        abstract: "Be the Bluetooth of apps in the iOS Simulator, by SimBLE's wire.",
        discussion: """
            SimBLE (nirapod-labs/simble) replaces CoreBluetooth in an app of the iOS Simulator by a connection to a helper \
            on the Mac. This is such a helper, whose radio is --hci: on an air, the app meets the devices of \
            readerlab emulate with levels, walls and loss.

              readerlab air
              readerlab emulate smarter-ai --hci tcp-client:127.0.0.1:7300
              readerlab phone simble --hci tcp-client:127.0.0.1:7301 --state simble.json

            The file has the port and the token of this run, as {"port":7310,"token":"..."}; the app has them in \
            SIMBLE_PORT and SIMBLE_TOKEN. No Simulator has run against it: docs/emulators/ios-simulator.md.
            """)

    @OptionGroup var radio: PhoneRadioOptions

    @Option(help: ArgumentHelp("The port for apps at 127.0.0.1; 0 for a free one.", valueName: "PORT"))
    var port: UInt16 = 7310

    @Option(
        help: ArgumentHelp("The file for port and token (mode 0600), removed at the end.", valueName: "FILE"))
    var state: String

    func validate() throws { _ = try radio.controller() }

    func run() throws {
        var options = SimulatorProgram.Options(
            hci: try TransportName(radio.controller()), address: radio.ownAddress, port: port, state: state,
            capture: try radio.capture(), json: radio.json)
        if let phone = radio.phone { options.settings.become(phone) }
        try SimulatorProgram(options).run()
    }
}
