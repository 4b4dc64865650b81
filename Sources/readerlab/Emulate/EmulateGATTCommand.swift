import ArgumentParser
import GATTDevice
import Glibc
import HostLoop
import Peripheral

/// `readerlab emulate gatt`.
struct EmulateGATTCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatt",
        abstract: "Play any GATT device from a file, until SIGINT or SIGTERM.",
        discussion: """
            The file names services and characteristics, or lists attributes with their handles: docs/gatt-device.md.
            Examples/heart-rate.json is one to begin with.

            Exit code 0 when a signal ends it, 1 when the controller is lost or cannot be reached, 2 when the file has
            a fault.
            """)

    @Option(help: ArgumentHelp("The device.", valueName: "FILE"))
    var table: String

    @Option(
        help: ArgumentHelp(
            "The controller: hci-socket:N, serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT or unix:PATH.",
            valueName: "NAME"))
    var hci: String

    @Option(help: ArgumentHelp("Its name, in place of the file's.", valueName: "TEXT"))
    var name: String?

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    var btsnoop: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        do throws(TransportNameError) {
            _ = try TransportName(hci)
        } catch .onlyInLab {
            throw ValidationError("--hci: the virtual air is only in the demo; name a controller, as hci-socket:0")
        } catch {
            throw ValidationError("--hci: \(error)")
        }
        if let name, !(1...DeviceTable.maximumNameCount).contains(name.utf8.count) {
            throw ValidationError("--name has 1 to \(DeviceTable.maximumNameCount) octets as UTF-8")
        }
    }

    func run() throws {
        let table: DeviceTable
        do throws(EmulationError) { table = try EmulationFile.load(self.table, name: name) } catch { throw error.told }
        let address = BluetoothAddress.randomStatic(from: UInt64.random(in: .min ... .max))
        let output = EmulationOutput(json: json)
        do {
            let capture = try btsnoop.map { path throws(BTSnoopFileError) in try BTSnoopFile(path: path) }
            let device = EmulatedDevice(table, address: address)
            let loop = try HostLoop(device, on: TransportName(hci), capture: capture)
            output.begin(table, file: self.table, address: address)
            try loop.run { device in
                while let notice = device.nextNotice() { output.tell(notice) }
            }
        } catch {
            throw EmulationError(code: 1, "\(error)").told
        }
    }
}

/// Why there is no emulation, in one line.
struct EmulationError: Error {
    let code: Int32
    let text: String

    init(code: Int32, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Says it on standard error; what is left is the exit code.
    var told: ExitCode {
        EmulationOutput.write("readerlab: \(text)", to: STDERR_FILENO)
        return ExitCode(code)
    }
}
