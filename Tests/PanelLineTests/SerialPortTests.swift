// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import TestSupport
import Testing
import Timekeeping

@testable import PanelLine

/// A serial port on a pseudo-terminal.
struct SerialPortTests {
    private let end = Instant.origin + .milliseconds(200)

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
        #expect(port.send(octets, before: end, at: .origin))
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
        #expect(!port.send([1], before: end, at: .origin))
    }

    @Test func nobodyTakesTheOctets() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(terminal.path, speed: 9600)
        let octets = [UInt8](repeating: 0x55, count: 1024)
        var count = 0
        while port.send(octets, before: end, at: .origin), count < 1000 { count += 1 }
        #expect(count < 1000)
    }

    /// A reply that the line does not take in its time is not sent later, neither by itself nor before the next one.
    @Test(arguments: [true, false]) func whatIsLateIsNotSent(isFollowed: Bool) throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(terminal.path, speed: 9600)
        let filler = [UInt8](repeating: 0x55, count: 1000)
        // Until the driver takes no more of it.
        while port.unsentCount == 0 { try #require(port.send(filler, before: end, at: .origin)) }
        #expect(port.send([0xAA], before: end, at: .origin))
        #expect(port.unsentCount == 1)
        if isFollowed { #expect(port.send([0xBB], before: end, at: .origin)) }
        var (piece, received) = ([UInt8](repeating: 0, count: 4096), [UInt8]())
        func receive() throws {
            let count = Glibc.read(terminal.descriptor, &piece, piece.count)
            try #require(count > 0)
            received += piece.prefix(count)
        }
        let time = isFollowed ? .origin : end + .nanoseconds(1)
        #expect(port.flush(at: time))
        while port.unsentCount > 0 {
            try receive()
            #expect(port.flush(at: time))
        }
        #expect(port.send([0xCC], before: end, at: .origin))
        while port.unsentCount > 0 {
            try receive()
            #expect(port.flush(at: .origin))
        }
        while received.last != 0xCC { try receive() }
        #expect(received.filter { $0 != 0x55 } == (isFollowed ? [0xBB, 0xCC] : [0xCC]))
    }

    @Test func whatHasArrivedCanBeDropped() throws {
        let terminal = try PseudoTerminal()
        let port = try SerialPort(terminal.path, speed: 9600)
        let octets = [UInt8](repeating: 0x55, count: 3000)
        try #require(write(terminal.descriptor, octets, octets.count) == octets.count)
        var read: [UInt8] = []
        while read.count < octets.count { read += try #require(port.read()) }
        #expect(read == octets)
        try #require(write(terminal.descriptor, octets, octets.count) == octets.count)
        port.discardInput()
        #expect(port.read() == [])
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
