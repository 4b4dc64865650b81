// SPDX-License-Identifier: Apache-2.0

// A heart-rate sensor (Heart Rate Service 1.0) on the Peripheral library:
// `swift run --package-path lab heart-rate --help`.

import Glibc
import HostLoop
import Peripheral

/// The sensor's state: here, a heart that beats faster and faster and then calms down.
struct HeartRateSensor {
    var rate: UInt8 = 60
    /// Kilojoules since a client last reset the value.
    var energy: UInt16 = 0
    var count = 0

    /// The next measurement, as it is sent. Each tenth one includes the energy (Heart Rate Service 1.0, 3.1).
    mutating func measure() -> [UInt8] {
        rate = rate < 99 ? rate + 1 : 60
        if energy < .max { energy += 1 }
        count += 1
        guard count.isMultiple(of: 10) else { return [0x00, rate] }
        return [0x08, rate, UInt8(truncatingIfNeeded: energy), UInt8(truncatingIfNeeded: energy >> 8)]
    }

    /// The device definition. If the device pairs, only a paired phone may reset its energy.
    static func device(pairs: Bool) -> DeviceDefinition<HeartRateSensor> {
        var device = DeviceDefinition<HeartRateSensor>(name: "heart", appearance: 0x0341)  // Heart Rate Belt
        device.pairing = pairs ? SecurityPolicy() : nil

        device.addService(BluetoothUUID(0x180D))
        let measurement = device.addCharacteristic(BluetoothUUID(0x2A37), .notify)
        device.addCharacteristic(BluetoothUUID(0x2A38), .read, value: [0x01])  // Body Sensor Location: chest
        let controlPoint = device.addCharacteristic(
            BluetoothUUID(0x2A39), .write, security: pairs ? .encrypted : .none)

        device.every(.seconds(1), whileSubscribed: measurement) { sensor, context in
            context.notify(measurement, sensor.measure())
        }
        device.onWrite(controlPoint) { sensor, _, write in
            // Reset Energy Expended; for anything else Control Point Not Supported (3.3 and 1.7).
            guard write.value == [0x01] else { return .refuse(ATTErrorCode(rawValue: 0x80)) }
            sensor.energy = 0
            return .accept
        }
        return device
    }
}

@main
enum HeartRate {
    static let help = """
        A Bluetooth LE heart-rate sensor. Any heart-rate app finds it as "heart".

        usage: heart-rate --hci NAME [--bonds FILE]

          --hci virtual                    no hardware: a phone walks up in this process, and tells what it gets
          --hci hci-socket:0               the adapter hci0, which must be down: sudo hciconfig hci0 down
                                           (needs root, or CAP_NET_ADMIN and CAP_NET_RAW)
          --hci serial:/dev/ttyS1,115200   a controller on a UART
          --hci tcp-client:127.0.0.1:6402  one behind TCP, such as RootCanal or Bumble
          --bonds FILE                     let phones pair, and keep their keys in FILE (mode 0600); the sensor then has
                                           a private address that changes, and asks for pairing when its energy is
                                           set back

        It runs until Ctrl-C.
        """

    static func main() {
        do {
            guard let options = try Options(CommandLine.arguments.dropFirst()) else { return print(help) }
            let keys = try options.bonds.map { try DeviceKeys(bonds: $0) } ?? DeviceKeys()
            let device = HeartRateSensor.device(pairs: options.bonds != nil)
            var program = try DeviceProgram(HeartRateSensor(), devices: [device], keys: keys)
            if options.hci == "virtual" { return WalkingPhone.visit(program, for: .seconds(15)) { print($0) } }
            program.onOther { _, _, event in
                if case .advertising(let status) = event {
                    let why = status.refusals.first.map { ": \($0)" } ?? ""
                    say(status.onAir.isEmpty ? "off the air\(why)" : "on the air as \"heart\"")
                }
                if case .controllerFailed(let fault) = event { say("the controller failed: \(fault)") }
            }
            try program.run(on: TransportName(options.hci))
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    /// Writes one line to standard error without buffering.
    static func say(_ text: String) {
        let line = "heart-rate: \(text)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}

/// The parsed command line.
struct Options {
    var hci = ""
    var bonds: String?

    /// Parses the arguments; nil if help was requested.
    init?(_ arguments: some Sequence<String>) throws(HostLoopError) {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            if option == "--help" || option == "-h" { return nil }
            guard ["--hci", "--bonds"].contains(option) else {
                throw HostLoopError(description: "unknown option \(option.debugDescription); see heart-rate --help")
            }
            guard let value = rest.next() else {
                throw HostLoopError(description: "\(option) lacks a value; see heart-rate --help")
            }
            if option == "--hci" { hci = value } else { bonds = value }
        }
        guard !hci.isEmpty else {
            throw HostLoopError(description: "name a controller, as --hci virtual; see heart-rate --help")
        }
    }
}
