import FoundationEssentials
import GATTDevice
import Glibc
import Peripheral

/// Prints the lines of an emulation on standard output as they occur.
struct EmulationOutput {
    private let encoder: JSONEncoder?

    init(json: Bool) {
        encoder = json ? JSONEncoder() : nil
        encoder?.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Prints a device.
    func begin(_ device: PlayedDevice) {
        let table = device.table
        let text = "\(table.name.debugDescription) at \(device.address), \(table.database.count) attributes"
        var line = EmulationLine(event: "device", text: text)
        line.name = table.name
        line.address = "\(device.address)"
        show(line)
    }

    /// Prints an event.
    func tell(_ notice: DeviceNotice) { show(EmulationLine(notice)) }

    private func show(_ line: EmulationLine) {
        guard let encoder else { return EmulationOutput.write(line.sentence, to: STDOUT_FILENO) }
        guard let octets = try? encoder.encode(line) else { return }
        EmulationOutput.write(String(decoding: octets, as: UTF8.self), to: STDOUT_FILENO)
    }

    /// Writes a line immediately, so that the reader of a pipe receives it when it occurs. Errors of a closed stream
    /// are ignored: there is no reader left.
    static func write(_ line: String, to descriptor: CInt) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
