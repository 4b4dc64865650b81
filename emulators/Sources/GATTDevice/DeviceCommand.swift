// SPDX-License-Identifier: Apache-2.0

public import Emulation
import Octets
public import Peripheral

/// A command to a running device from a file.
public enum DeviceCommand: Equatable, Sendable {
    /// A command that all emulated devices have.
    case shared(EmulationCommand)
    /// Send values as usual, none, or many.
    case values(DeviceFaults.Values)
    /// Change a value, and send it to the clients that have subscribed.
    case send(BluetoothUUID, [UInt8])

    /// The commands, one line each.
    public static let helpLines =
        [
            "values \(DeviceFaults.Values.allCases.map(\.rawValue).joined(separator: "|")): as the file says; none is sent; "
                + "each subscribed one every 10 ms",
            "send UUID HEX: change a value, and send it to the clients that have subscribed",
        ] + EmulationCommand.helpLines.filter { line in !["wifi", "network", "ap "].contains { line.hasPrefix($0) } }

    /// Parses a line, for devices with these steps.
    public init(line: String, steps: [EmulatedStep]) throws(CommandFault) {
        let words = line.split { " \t".contains($0) }.map(String.init)
        switch words.first {
        case "values":
            guard words.count == 2, let values = DeviceFaults.Values(rawValue: words[1]) else {
                throw CommandFault("write values normal, values none or values storm")
            }
            self = .values(values)
        case "send":
            guard (2...3).contains(words.count), let uuid = BluetoothUUID(words[1]),
                let octets = Hexadecimal.octets(words.count == 3 ? words[2] : ""), octets.count <= Fault.maximumOctets
            else { throw CommandFault("write send UUID HEX, as send 2A37 003c; at most 512 octets") }
            self = .send(uuid, octets)
        default:
            let command = try EmulationCommand(line: line, steps: steps)
            switch command {
            case .wifi, .network, .dhcp: throw CommandFault("the device has no Wi-Fi; help lists the commands")
            default: self = .shared(command)
            }
        }
    }
}
