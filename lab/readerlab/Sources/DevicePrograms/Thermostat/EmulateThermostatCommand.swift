// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Devices
package import Emulation
import Peripheral

/// `readerlab emulate thermostat`.
package struct EmulateThermostatCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "thermostat",
        abstract: "Emulate a thermostat until SIGINT or SIGTERM.",
        discussion: """
            An app reads the temperature, subscribes to its changes, and writes a target (docs/emulators/thermostat.md).

              readerlab emulate thermostat --hci hci-socket:0
              readerlab emulate thermostat --hci hci-socket:0 --temperature 12.5 --target 21

            While it runs, it prints each event as a line and accepts faults: help lists them. At the end it prints \
            the app's mistakes. Exit code 0 when a signal ends it, 1 if the controller cannot be reached at first, 2 \
            if a file has a fault.
            """)

    @OptionGroup(title: "Thermostat")
    var thermostat: ThermostatOptions

    @OptionGroup(title: "Run")
    var options: EmulationRunOptions

    package init() {}

    package func run() throws {
        try EmulationRun(units: [thermostat.unit(0, of: 1)], options: options).run()
    }
}

/// Options of an emulated thermostat.
package struct ThermostatOptions: EmulatedKind {
    package static var command: any ParsableCommand.Type { EmulateThermostatCommand.self }
    package static var steps: [EmulatedStep] { EmulatedThermostat.steps }

    @Option(help: ArgumentHelp("The advertised name.", valueName: "TEXT"))
    var name = "Thermostat"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The temperature at the start, -50 to 100 °C.", valueName: "CELSIUS"))
    var temperature = 19.5

    @Option(help: ArgumentHelp("The target at the start, 5 to 30 °C.", valueName: "CELSIUS"))
    var target = 21.0

    package init() {}

    package func validate() throws {
        guard (1...DatabaseBuilder.maximumNameCount).contains(name.utf8.count) else {
            throw ValidationError("--name has 1 to \(DatabaseBuilder.maximumNameCount) octets as UTF-8")
        }
        guard (-50...100).contains(temperature) else { throw ValidationError("--temperature is -50 to 100") }
        guard (5...30).contains(target) else { throw ValidationError("--target is 5 to 30") }
    }

    package func unit(_ number: Int, of count: Int) throws -> any EmulatedUnit {
        EmulatedThermostat(
            name: name,
            Thermostat(
                temperature: ThermostatOptions.hundredths(temperature), target: ThermostatOptions.hundredths(target)))
    }

    private static func hundredths(_ celsius: Double) -> Int16 { Int16((celsius * 100).rounded()) }
}
