// SPDX-License-Identifier: Apache-2.0

import CLinux
import Commands
import Console
import Glibc
import OSDP
import System

/// The descriptor of a line: a serial device, or a pseudo-terminal that is replaced after each panel.
final class OSDPPort {
    /// The prefix of a pseudo-terminal's path.
    private static let terminalPrefix = "pty:"

    private let name: String
    private let terminal: PlaceTerminal?
    private(set) var stream: OctetStream?

    init(_ name: String) throws(CommandError) {
        self.name = name
        terminal =
            name.hasPrefix(OSDPPort.terminalPrefix)
            ? try PlaceTerminal(path: String(name.dropFirst(OSDPPort.terminalPrefix.count))) : nil
    }

    /// Opens the line at this speed. `ready` is called when octets can be read or written, or the line is lost.
    func open(_ speed: UInt32, on reactor: Reactor, ready: @escaping () -> Void) throws(CommandError) {
        stream = OctetStream(try descriptor(speed), isSocket: false)
        try setSpeed(speed)
        do throws(SystemError) { try stream?.watch(on: reactor, ready: ready) } catch {
            throw .failed("\(name): \(error)")
        }
    }

    private func descriptor(_ speed: UInt32) throws(CommandError) -> CInt {
        if let terminal { return try terminal.open() }
        let descriptor = readerd_serial_open(name)
        guard descriptor >= 0 else { throw failure(-descriptor) }
        let answer = readerd_serial_configure(descriptor, speed, false)
        guard answer == 0 else {
            readerd_close(descriptor)
            throw failure(-answer)
        }
        return descriptor
    }

    /// Changes the speed after all earlier octets were sent.
    func setSpeed(_ speed: UInt32) throws(CommandError) {
        guard let stream, let constant = OSDPPort.constants[speed] else { return }
        var settings = termios()
        guard tcgetattr(stream.descriptor, &settings) == 0, cfsetispeed(&settings, constant) == 0,
            cfsetospeed(&settings, constant) == 0, tcsetattr(stream.descriptor, TCSADRAIN, &settings) == 0
        else { throw failure(errno) }
    }

    /// The constants of termios(3) for the speeds in `OSDPLine.speeds`.
    private static let constants: [UInt32: speed_t] = [
        9600: speed_t(B9600), 19200: speed_t(B19200), 38400: speed_t(B38400), 57600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400),
    ]

    /// Drops the octets that have arrived and were not read.
    func discardInput() {
        if let stream { tcflush(stream.descriptor, TCIFLUSH) }
    }

    /// Releases a lost line.
    func drop() {
        stream?.stop()
        stream = nil
    }

    func close() {
        drop()
        terminal?.remove()
    }

    private func failure(_ code: CInt) -> CommandError {
        CommandError.failed(
            "\(name): cannot use the line: \(String(cString: strerror(code))); name a serial device, or pty:PATH")
    }
}
