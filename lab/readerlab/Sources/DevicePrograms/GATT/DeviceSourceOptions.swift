// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Commands
package import GATTDevice
import Octets
import Peripheral

/// The options for the devices of `readerlab emulate gatt`: files of ours, captures, exports.
package struct DeviceSourceOptions: ParsableArguments {
    @Option(
        name: .customLong("table"),
        help: ArgumentHelp("The device. Several may be given: each is one.", valueName: "FILE"))
    package var tables: [String] = []

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "A device from a capture of HCI traffic (btsnoop, pcapng) or an export of nRF Connect (XML). Several may be "
                + "given.", valueName: "FILE"))
    package var captures: [String] = []

    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "A device of a Bluetooth SIG profile: \(DeviceSourceOptions.profileNames). Several may be given.",
            valueName: "NAME"))
    package var profiles: [String] = []

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "A fault of the profile's device (docs/emulators/profiles.md). Several may be given.", valueName: "NAME"))
    package var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "The device of a capture that shows several, by its address there.", valueName: "C0:11:22:33:44:55"))
    package var peer: String?

    @Option(
        help: ArgumentHelp(
            "Write the device of --from as a file for --table, to be edited; the file must not exist.",
            valueName: "FILE"))
    package var write: String?

    package init() {}

    /// The number of devices.
    package var count: Int { tables.count + captures.count + profiles.count }

    private static var profileNames: String { DeviceProfile.all.map(\.name).joined(separator: ", ") }

    package func validate() throws {
        guard count > 0 else { throw ValidationError("name a device: --table FILE, --from FILE or --profile NAME") }
        guard count <= EmulatedDevice.maximumDevices else {
            throw ValidationError(
                "\(count) devices are given by --table, --from and --profile; \(EmulatedDevice.maximumDevices) are the most"
            )
        }
        for name in profiles where DeviceProfile(named: name) == nil {
            throw ValidationError(
                "--profile \(name.debugDescription) is not known; write \(DeviceSourceOptions.profileNames)")
        }
        try checkFaults()
        guard captures.count == 1 || write == nil && peer == nil else {
            throw ValidationError("--peer and --write are for one device of --from")
        }
        if let peer, DeviceSourceOptions.address(peer) == nil {
            throw ValidationError("--peer \(peer.debugDescription) is no address: write C0:11:22:33:44:55")
        }
    }

    private func checkFaults() throws {
        guard !faults.isEmpty else { return }
        guard profiles.count == 1, let profile = DeviceProfile(named: profiles[0]) else {
            throw ValidationError("--fault is for one device of --profile")
        }
        for fault in faults where !profile.faults.contains(where: { $0.name == fault }) {
            let known = profile.faults.map(\.name).joined(separator: ", ")
            throw ValidationError("--fault \(fault.debugDescription) is not known; \(profile.name) has \(known)")
        }
    }

    /// The devices: of files, then of captures, then of profiles.
    package func load(name: String?, tellsOfChanges: Bool) throws(CommandError) -> [DeviceTable] {
        var devices: [DeviceTable] = []
        for path in tables {
            devices.append(try EmulationFile.load(path, name: name, tellsOfChanges: tellsOfChanges))
        }
        for path in captures {
            let peer = peer.flatMap(DeviceSourceOptions.address)
            let description = try EmulationFile.description(path, peer: peer)
            if let write { try CommandError.create(write, with: description.json) }
            devices.append(try EmulationFile.table(description, of: path, name: name, tellsOfChanges: tellsOfChanges))
        }
        for profile in profiles.compactMap(DeviceProfile.init(named:)) {
            do throws(DeviceFault) {
                devices.append(try profile.table(faults: Set(faults), name: name, tellsOfChanges: tellsOfChanges))
            } catch {
                throw .failed("--profile \(profile.name): \(error)")
            }
        }
        return devices
    }

    private static func address(_ text: String) -> BluetoothAddress? {
        guard let octets = Hexadecimal.octets(text, separator: UInt8(ascii: ":")), octets.count == 6 else { return nil }
        return BluetoothAddress(kind: .random, value: octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
