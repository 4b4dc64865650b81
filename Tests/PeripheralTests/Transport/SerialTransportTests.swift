// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// On a pseudo-terminal: the far end is its master.
@Suite struct SerialTransportTests {
    private struct Terminal {
        let master: FarEnd
        let path: String

        init() throws {
            let (descriptor, path) = try openPseudoTerminal()
            master = FarEnd(descriptor)
            self.path = path
        }
    }

    @Test func theLineIsRawAndEveryOctetPasses() throws {
        let terminal = try Terminal()
        let transport = try HCITransport.open(.serial(path: terminal.path, baud: 115_200, flowControl: false))
        // Octets that a cooked line would change: ^C, ^D, XON, XOFF, CR, LF, DEL, 0xFF.
        let odd: [UInt8] = [0x03, 0x04, 0x11, 0x13, 0x0D, 0x0A, 0x7F, 0xFF, 0x00, 0x1A]
        let event: [UInt8] = [0x04, 0xFF, 0x0A] + odd
        terminal.master.send(event)
        #expect(try transport.packets() == [event])
        let data: [UInt8] = [0x02, 0x40, 0x00, 0x0A, 0x00] + odd
        transport.send(data)
        #expect(terminal.master.receive(exactly: data.count) == data)
        #expect(try transport.packetsThere() == [])
    }

    @Test(arguments: [(UInt32(115_200), false), (921_600, true), (4_000_000, true)])
    func rateAndFlowControlAreSet(baud: UInt32, flowControl: Bool) throws {
        let terminal = try Terminal()
        let transport = try HCITransport.open(.serial(path: terminal.path, baud: baud, flowControl: flowControl))
        var setting = termios()
        #expect(tcgetattr(transport.descriptor, &setting) == 0)
        let expected: [UInt32: CInt] = [115_200: B115200, 921_600: B921600, 4_000_000: B4000000]
        #expect(cfgetospeed(&setting) == expected[baud].map(speed_t.init))
        #expect(cfgetispeed(&setting) == expected[baud].map(speed_t.init))
        #expect((setting.c_cflag & tcflag_t(0x8000_0000) != 0) == flowControl)
        #expect(setting.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
        #expect(setting.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
        #expect(setting.c_lflag == 0 && setting.c_iflag == 0 && setting.c_oflag == 0)
    }

    /// A rate without a constant of its own.
    @Test func anyRateIsTaken() throws {
        let terminal = try Terminal()
        let transport = try HCITransport.open(.serial(path: terminal.path, baud: 1_234_567, flowControl: false))
        transport.close()
    }

    // MARK: Out of step

    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    private static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    private static let event: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x01, 0x0C, 0x00]

    private func time(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    private func open(_ terminal: borrowing Terminal) throws -> HCITransport {
        try HCITransport.open(.serial(path: terminal.path, baud: 115_200, flowControl: false))
    }

    /// Core 5.4, Vol 4, Part A, 4: after Reset the host looks for its answer. Sent at once or from the queue.
    @Test(arguments: [false, true]) func packetsBeginWithTheAnswerToReset(queued: Bool) throws {
        let terminal = try Terminal()
        let transport = try open(terminal)
        for _ in 0..<2 {
            if queued {
                transport.enqueue(Self.reset.span)
                transport.flush()
            } else {
                transport.send(Self.reset)
            }
            #expect(terminal.master.receive(exactly: 4) == Self.reset)
            // Noise, then a packet of before that would swallow the answer.
            terminal.master.send([0x00, 0xFF, 0x02, 0x40, 0x20, 0x00, 0x10] + Self.event)
            #expect(try transport.packets() == [])
            #expect(transport.nextDeadline == nil)
            terminal.master.send([0x55] + Self.resetAnswer + Self.event)
            #expect(try transport.packets() == [Self.resetAnswer, Self.event])
        }
        // From then on the stream has to be in step.
        terminal.master.send([0x55])
        #expect(throws: TransportError.self) { try transport.packets() }
    }

    /// Reset may be what the host sends when it is handed a packet.
    @Test func resetMayBeSentFromADelivery() throws {
        let terminal = try Terminal()
        let transport = try open(terminal)
        terminal.master.send(Self.event)
        _ = becomes(transport.descriptor, POLLIN)
        try transport.readReady(at: .origin) { _ in transport.send(Self.reset) }
        #expect(terminal.master.receive(exactly: 4) == Self.reset)
        terminal.master.send([0x77] + Self.resetAnswer)
        #expect(try transport.packets() == [Self.resetAnswer])
    }

    /// Octets at the wrong rate are no answer, and the host's next Reset tells it.
    @Test func aSecondResetWithoutAnAnswerIsAnErrorIfSomethingCame() throws {
        let terminal = try Terminal()
        let transport = try open(terminal)
        // Nothing came: nothing is wrong with the line yet.
        transport.send(Self.reset)
        transport.send(Self.reset)
        #expect(terminal.master.receive(exactly: 8) == Self.reset + Self.reset)
        terminal.master.send([0xF8, 0x80, 0x00])
        #expect(try transport.packets() == [])
        #expect(!transport.wantsWrite)
        transport.send(Self.reset)
        #expect(transport.wantsWrite)
        let error = #expect(throws: TransportError.self) { try transport.writeReady() }
        #expect(error?.fault == .lostSynchronization(H4Error(.noAnswerToReset(skipped: 3), at: 0)))
        #expect(
            error?.description.hasSuffix(
                "lost H4 synchronization: no answer to HCI Reset within 3 octets; check the peer's protocol, the rate "
                    + "and the flow control") == true)
    }

    @Test func silenceWithinAPacketIsAnError() throws {
        let terminal = try Terminal()
        let transport = try open(terminal)
        terminal.master.send(Self.event + Self.event.prefix(3))
        #expect(try transport.packets() == [Self.event])
        #expect(transport.nextDeadline == time(200))
        // It goes on, and then it does not.
        terminal.master.send([Self.event[3]])
        #expect(try transport.packets(at: time(150)) == [])
        #expect(transport.nextDeadline == time(350))
        #expect(try transport.packetsThere(at: time(349)) == [])
        #expect(throws: TransportError.self) { try transport.packetsThere(at: time(350)) }
        #expect(transport.nextDeadline == nil)
    }

    /// A process that was stopped meanwhile finds the rest in the kernel, and takes it.
    @Test func whatHasComeBeforeTheDeadlineIsLookedAtIsTaken() throws {
        let terminal = try Terminal()
        let transport = try open(terminal)
        terminal.master.send(Array(Self.event.prefix(3)))
        #expect(try transport.packets() == [])
        terminal.master.send(Array(Self.event.dropFirst(3)))
        #expect(try transport.packets(at: time(60_000)) == [Self.event])
        #expect(transport.nextDeadline == nil)
    }

    /// A connection gives its octets when it can, and packets begin where they begin.
    @Test func socketsHaveNoSuchDeadlineAndNoSuchSearch() throws {
        let (transport, far) = HCITransport.pair()
        far.send(Array(Self.event.prefix(3)))
        #expect(try transport.packets() == [])
        #expect(transport.nextDeadline == nil)
        far.send(Array(Self.event.dropFirst(3)))
        #expect(try transport.packets(at: time(60_000)) == [Self.event])
        transport.send(Self.reset)
        far.send([0x77] + Self.resetAnswer)
        #expect(throws: TransportError.self) { try transport.packets() }
    }

    @Test func aLineThatIsGoneIsAnError() throws {
        let terminal = try Terminal()
        let name = TransportName.serial(path: terminal.path, baud: 115_200, flowControl: false)
        let transport = try HCITransport.open(name)
        terminal.master.close()
        let error = #expect(throws: TransportError.self) { try transport.packets() }
        // Linux tells a pty's end as EIO, and a hung-up line's as the end of a file.
        #expect(error?.fault == .failed(code: EIO) || error?.fault == .ended)
    }

    @Test func whatIsNoLineIsRefused() {
        func fault(_ path: String) -> TransportFault? {
            thrown { () throws(TransportError) in
                _ = try HCITransport.open(.serial(path: path, baud: 115_200, flowControl: false))
            }?.fault
        }
        #expect(fault("/dev/null") == .notATerminal)
        #expect(fault("/nonexistent/ttyS9") == .cannotOpen(code: ENOENT))
        let error = TransportError(
            transport: .serial(path: "/dev/ttyUSB0", baud: 115_200, flowControl: false),
            fault: .cannotOpen(code: EACCES))
        #expect(
            error.description
                == "serial:/dev/ttyUSB0,115200: cannot open: Permission denied; give this user access to the device "
                + "(Debian: group dialout)")
    }
}
