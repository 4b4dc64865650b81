// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostLoop
import Peripheral

/// A room and its heating, in hundredths of a degree Celsius: a device of one's own on HostLoop.
struct Thermostat {
    static let targets: ClosedRange<Int16> = 500...3000
    var temperature: Int16 = 1950
    var target: Int16 = 2100

    /// The room after one second: 0.1 °C nearer to the target.
    mutating func advance() { temperature += min(max(target - temperature, -10), 10) }

    /// Environmental Sensing Service 1.0: Temperature, 0.01 °C; and a target of our own in the same unit.
    static var device: DeviceDefinition<Thermostat> {
        var device = DeviceDefinition<Thermostat>(name: "thermostat")
        device.addService(BluetoothUUID(0x181A))
        let temperature = device.addCharacteristic(BluetoothUUID(0x2A6E), [.read, .notify])
        let target = device.addCharacteristic(
            BluetoothUUID(high: 0x7E2F_5A00_4D1C_4B57, low: 0x9C39_6F1F_6D0C_1A01), [.read, .write], maximumCount: 2)

        device.onRead(temperature) { room, _, _ in .value(octets(room.temperature)) }
        device.onRead(target) { room, _, _ in .value(octets(room.target)) }
        device.onWrite(target) { room, _, write in
            guard write.value.count == 2 else { return .refuse(.invalidAttributeValueLength) }
            let wanted = Int16(write.value[0]) | Int16(bitPattern: UInt16(write.value[1]) << 8)
            // Out of Range (Core Specification Supplement 11, Part B, 1.2).
            guard targets.contains(wanted) else { return .refuse(ATTErrorCode(rawValue: 0xFF)) }
            room.target = wanted
            return .accept
        }
        device.every(.seconds(1)) { room, context in
            room.advance()
            context.notify(temperature, octets(room.temperature))
        }
        return device
    }

    /// A value as it is on the air: little endian.
    private static func octets(_ value: Int16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}

@main
enum ThermostatProgram {
    static func main() {
        guard CommandLine.arguments.count == 2, CommandLine.arguments[1] != "--help" else {
            print("usage: thermostat HCI, the name of a controller: hci-socket:0, tcp-client:127.0.0.1:6402, …")
            exit(CommandLine.arguments.count == 2 ? 0 : 2)
        }
        do {
            let program = try DeviceProgram(Thermostat(), devices: [Thermostat.device], keys: DeviceKeys())
            try program.run(on: TransportName(CommandLine.arguments[1]))
        } catch {
            print("thermostat: \(error)")
            exit(1)
        }
    }
}
