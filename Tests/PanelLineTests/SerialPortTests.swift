// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import TestSupport
import Testing

@testable import PanelLine

/// A serial port on a pseudo-terminal.
struct SerialPortTests {
    private func speed(_ terminal: PseudoTerminal) -> speed_t {
        var setting = termios()
        tcgetattr(terminal.descriptor, &setting)
        return cfgetospeed(&setting)
    }

    @Test func octetsBothWays() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(terminal.path, speed: 9600)
        #expect(port.read() == [])
        #expect(speed(terminal) == speed_t(B9600))
        // Control characters go through.
        let octets: [UInt8] = [0x53, 0x00, 0x03, 0x0D, 0x0A, 0x11, 0x13, 0xFF]
        #expect(write(terminal.descriptor, octets, octets.count) == octets.count)
        #expect(port.read() == octets)
        #expect(port.send(octets))
        var read = [UInt8](repeating: 0, count: 16)
        #expect(Glibc.read(terminal.descriptor, &read, 16) == octets.count)
        #expect(Array(read.prefix(octets.count)) == octets)
        try port.setSpeed(115_200)
        #expect(speed(terminal) == speed_t(B115200))
    }

    @Test func theFarEndHangsUp() throws {
        var terminal: PseudoTerminal? = try PseudoTerminal()
        let port = try SerialPort(try #require(terminal?.path), speed: 9600)
        terminal = nil
        #expect(port.read() == nil)
        #expect(!port.send([1]))
    }

    @Test func nobodyTakesTheOctets() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(terminal.path, speed: 9600)
        let octets = [UInt8](repeating: 0x55, count: 1024)
        var count = 0
        while port.send(octets), count < 1000 { count += 1 }
        #expect(count < 1000)
    }

    @Test func whatIsNoLine() throws {
        let absent = try #require(throws: SerialPort.Failure.self) { try SerialPort("/nowhere/tty", speed: 9600) }
        #expect(absent.errno == ENOENT)
        let file = try #require(throws: SerialPort.Failure.self) { try SerialPort("/dev/null", speed: 9600) }
        #expect(file.errno == ENOTTY)
        // A pseudo-terminal has no driver that turns a line.
        let terminal = try PseudoTerminal()
        let turning = try #require(throws: SerialPort.Failure.self) {
            try SerialPort(terminal.path, speed: 9600, turns: true)
        }
        #expect(turning.isTurning && turning.description.contains("RS-485"))
    }
}
