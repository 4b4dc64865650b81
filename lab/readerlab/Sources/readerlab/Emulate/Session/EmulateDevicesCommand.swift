// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Console
import DevicePrograms
import Emulation
import HostLoop
import JSON

/// `readerlab emulate devices`.
struct EmulateDevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Play several devices for app developers on one radio, until SIGINT or SIGTERM.",
        discussion: """
            The file lists them, each with the options of its own command (docs/emulators/emulation.md):

              {"devices": [
                {"kind": "smarter-ai", "name": "Smarter AI porch", "pairing": "fail"},
                {"kind": "nordic-wifi", "profile": "gateway"}
              ]}

              readerlab emulate devices devices.json --hci hci-socket:0

            While it runs, what happens is told line by line, and faults can be typed: help lists them. At the end it \
            says what the app got wrong. Exit code 0 when a signal ends it, 1 when the controller cannot be \
            reached at first, 2 when a file has a fault.
            """)

    @Argument(help: ArgumentHelp("The devices, 1 to 16.", valueName: "FILE"))
    var file: String

    @OptionGroup
    var options: EmulationRunOptions

    func run() throws {
        try EmulationRun(units: EmulatedDevices.load(file), options: options).run()
    }
}

/// The file of `readerlab emulate devices`.
enum EmulatedDevices {
    /// The maximum length of a file in octets: four times sixteen devices with a kilobyte of options each.
    static let maximumCount = 65_536

    /// Loads the devices in the file at `path`; an error is reported as `FILE:LINE: PLACE: PROBLEM`.
    static func load(_ path: String) throws(CommandError) -> [any EmulatedUnit] {
        try InputFile.load(
            path, maximum: maximumCount, "a file of devices (docs/emulators/emulation.md)"
        ) { octets throws(JSONPlaceFault) in
            guard octets.count <= maximumCount else {
                throw JSONPlaceFault(line: 1, path: "", "has more than \(maximumCount) octets")
            }
            let list = try JSONPlace(file: octets).members(["devices"]).required("devices")
            let places = try list.elements()
            guard (1...ProgramSettings.maximumDevices).contains(places.count) else {
                throw list.fault(
                    "has \(places.count) devices; one radio plays 1 to \(ProgramSettings.maximumDevices)")
            }
            var units: [any EmulatedUnit] = []
            for (number, place) in places.enumerated() { units.append(try unit(place, number)) }
            return units
        }
    }

    private static func unit(_ place: JSONPlace, _ number: Int) throws(JSONPlaceFault) -> any EmulatedUnit {
        guard case .object(let members) = place.node.content else { throw place.fault("must be an object") }
        guard let kind = members.first(where: { $0.name == "kind" }) else { throw place.fault("lacks \"kind\"") }
        let options = try EmulatedKinds.options(place.member(kind))
        var arguments: [String] = []
        for member in members where member.name != "kind" { arguments += try words(place.member(member), member.name) }
        do {
            return try options.parse(arguments).unit(number, of: 1)
        } catch let error as CommandError {
            throw place.fault(error.text)
        } catch {
            throw place.fault(options.message(for: error))
        }
    }

    /// Converts a member to an option.
    private static func words(_ place: JSONPlace, _ name: String) throws(JSONPlaceFault) -> [String] {
        switch place.node.content {
        case .string(let text): ["--\(name)=\(text)"]
        case .number(let digits): ["--\(name)=\(digits)"]
        case .boolean(true): ["--\(name)"]
        case .boolean(false): []
        default: throw place.fault("is \(place.node.kind), and must be text, a number, true or false")
        }
    }
}
