// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Commands
import Glibc
package import HostLoop
package import Peripheral

/// The options for the radio of an emulated device.
package enum EmulationRadio {
    /// The time to wait for netsim, in seconds. It starts with the Android Emulator within seconds; the rest is for a
    /// busy machine. A job without an emulator fails soon.
    package static let netsimWait = 120
    /// The range of the option for it: up to an hour.
    fileprivate static let waits = 0...3600

    /// The time to wait for a controller that was never reached; nil if it must be there.
    package static func wait(for name: TransportName, seconds: Int = netsimWait) -> Duration? {
        if case .netsim = name { return .seconds(seconds) }
        return nil
    }

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
                + "serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT, unix:PATH or netsim[:INSTANCE] (the Android "
                + "Emulator).",
            valueName: "NAME"))
    package var hci: String

    @Option(
        help: ArgumentHelp(
            "The random static address of the first device, and the next ones for the others; a new one each time if "
                + "not given.", valueName: "C0:11:22:33:44:55"))
    package var address: String?

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    package var btsnoop: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for a netsim that does not run yet, 0 to 3600 seconds.", valueName: "SECONDS"))
    package var wait = EmulationRadio.netsimWait

    package init() {}

    package func validate() throws {
        try EmulationRadio.check(hci: hci, address: address)
        guard EmulationRadio.waits.contains(wait) else {
            throw ValidationError("--wait \(wait): write 0 to \(EmulationRadio.waits.upperBound) seconds")
        }
    }

    /// The address, if it is given.
    package var firstAddress: BluetoothAddress? { address.flatMap { EmulationAddress.parse($0) } }

    /// The loop of a device at the controller, which is reopened after it is lost.
    package func loop<Device: HostedDevice & ~Copyable>(_ device: consuming Device) throws -> HostLoop<Device> {
        let capture = try btsnoop.map { path throws(CaptureFileError) in try BTSnoopFile(path: path) }
        let name = try TransportName(hci)
        let loop = try HostLoop(
            device, on: name, capture: capture, waits: EmulationRadio.wait(for: name, seconds: wait))
        loop.reopen { ConsoleOutput.write("readerlab: \($0); trying again", to: STDERR_FILENO) }
        return loop
    }
}
