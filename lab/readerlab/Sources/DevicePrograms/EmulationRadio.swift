// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Console
import Glibc
package import HostLoop
package import Peripheral

/// The options for the radio of an emulated device.
package enum EmulationRadio {
    /// Validates the options for the controller and the address.
    package static func check(hci: String, address: String?) throws {
        do throws(TransportNameError) {
            _ = try TransportName(hci)
        } catch .onlyInLab {
            throw ValidationError("--hci: the virtual air is only in the demo; name a controller, as hci-socket:0")
        } catch {
            throw ValidationError("--hci: \(error)")
        }
        if let address, EmulationAddress.parse(address) == nil {
            throw ValidationError(
                "--address \(address.debugDescription) is no random static address: write six octets, the first from "
                    + "C0 to FF, as C0:11:22:33:44:55")
        }
    }
}

/// The options for the controller of emulated devices.
package struct EmulationRadioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The controller: hci-socket:N, hci-socket:ADDRESS, hci-socket:usb-PORT, "
                + "serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT or unix:PATH.",
            valueName: "NAME"))
    package var hci: String

    @Option(
        help: ArgumentHelp(
            "The random static address of the first device, and the next ones for the others; a new one each time if "
                + "not given.", valueName: "C0:11:22:33:44:55"))
    package var address: String?

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    package var btsnoop: String?

    package init() {}

    package func validate() throws { try EmulationRadio.check(hci: hci, address: address) }

    /// The address, if it is given.
    package var firstAddress: BluetoothAddress? { address.flatMap { EmulationAddress.parse($0) } }

    /// The loop of a device at the controller, which is reopened after it is lost.
    package func loop<Device: HostedDevice & ~Copyable>(_ device: consuming Device) throws -> HostLoop<Device> {
        let capture = try btsnoop.map { path throws(CaptureFileError) in try BTSnoopFile(path: path) }
        let loop = try HostLoop(device, on: TransportName(hci), capture: capture)
        loop.reopen { ConsoleOutput.write("readerlab: \($0); trying again", to: STDERR_FILENO) }
        return loop
    }
}
