import Glibc
import Testing

@testable import Peripheral

/// On a pseudo-terminal: the far end is its master.
@Suite struct SerialTransportTests {
    private struct Terminal {
        let master: FarEnd
        let path: String

        init() throws {
            var (descriptor, line) = (CInt(-1), CInt(-1))
            var name = [CChar](repeating: 0, count: 64)
            try #require(openpty(&descriptor, &line, &name, nil, nil) == 0)
            // The transport opens the line itself, by its name.
            Glibc.close(line)
            master = FarEnd(descriptor)
            path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
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
            do {
                _ = try HCITransport.open(.serial(path: path, baud: 115_200, flowControl: false))
                return nil
            } catch {
                return error.fault
            }
        }
        #expect(fault("/dev/null") == .notATerminal)
        #expect(fault("/nonexistent/ttyS9") == .cannotOpen(code: ENOENT))
        let error = TransportError(
            transport: .serial(path: "/dev/ttyUSB0", baud: 115_200, flowControl: false),
            fault: .cannotOpen(code: EACCES))
        #expect(
            error.description
                == "serial:/dev/ttyUSB0,115200: cannot open: Permission denied; give this user the right to the device "
                + "(on Debian the group dialout)")
    }
}
