// SPDX-License-Identifier: Apache-2.0

import CLinux
import Configuration
import Glibc
import Peripheral
import System

/// `readerd adapter`: takes the configured adapter for a reader that has no right to, and passes it the socket.
///
/// The right, CAP_NET_ADMIN, also administers every network interface. So it is in a process that lives for one
/// adapter's opening, takes one line from the reader, and decides by the administrator's configuration alone.
struct AdapterCommand: Equatable, ReaderdArguments {
    /// `--config`; nil for the default path.
    var configuration: String?

    /// The socket of the unit.
    static let socket = "/run/readerd-adapter.sock"
    /// The maximum length of the reader's line in octets: more than any adapter's name.
    static let maximumLineCount = 64
    /// The time that the reader has for its line, in seconds.
    private static let lineSeconds: UInt32 = 2

    var command: CommandName { .adapter }

    var options: [CommandOption<AdapterCommand>] { [.value("--config") { $0.configuration = $1 }] }

    static let help = """
        readerd adapter [--config FILE]

        Takes the adapter that the configuration names as hci, with its hci-take, and passes it to the reader that asks
        on standard input, a Unix socket. The unit readerd-adapter.socket starts it for each question, with CAP_NET_ADMIN,
        which the reader itself does not have.

        --config FILE  The configuration, \(RunOptions.defaultConfiguration) by default.
        """

    /// Answers the reader at a descriptor, standard input in use. Returns the exit status.
    func perform(at descriptor: CInt = STDIN_FILENO) throws(ReaderdError) -> Int32 {
        guard AdapterCommand.isSocket(descriptor) else {
            throw .usage("adapter: standard input is no Unix socket; it is started by readerd-adapter.socket")
        }
        return try answer(descriptor)
    }

    /// Answers the reader at a socket. Returns the exit status.
    func answer(_ socket: CInt) throws(ReaderdError) -> Int32 {
        var descriptor: CInt = -1
        let reply: AdapterReply
        do throws(TransportError) {
            descriptor = try select(AdapterCommand.line(of: socket))
            reply = .taken
        } catch {
            reply = .failed(error.fault)
        }
        defer { if descriptor >= 0 { readerd_close(descriptor) } }
        let octets = reply.octets
        guard readerd_send_passing(socket, octets, octets.count, descriptor) == octets.count else {
            throw .failed("adapter: the reader has gone")
        }
        guard case .failed(let fault) = reply else { return 0 }
        throw .failed("adapter: \(fault)")
    }

    private func select(_ asked: String?) throws(TransportError) -> CInt {
        let path = configuration ?? RunOptions.defaultConfiguration
        var decoded: (name: TransportName, takesAdapter: Bool)?
        if let settings = try? SettingsFile.load(path, mayBeMissing: configuration == nil), !settings.hasFaults,
            let name = try? SettingsFile.transport(settings.settings, named: nil)
        {
            decoded = (name, settings.settings.takesAdapter)
        }
        guard let decoded, case .hciSocket(let adapter) = decoded.name, asked == "\(adapter)" else {
            throw TransportError(transport: decoded?.name ?? .hciSocket(0), fault: .adapterIsNotConfigured)
        }
        return try HCITransport.bindAdapter(adapter, takeAdapter: decoded.takesAdapter)
    }

    /// The reader's line without its end; nil for a line that is too long or missing.
    private static func line(of socket: CInt) -> String? {
        guard readerd_limit_receiving(socket, lineSeconds) >= 0 else { return nil }
        var octets: [UInt8] = []
        while octets.count <= maximumLineCount {
            var octet: UInt8 = 0
            guard readerd_read(socket, &octet, 1) == 1 else { return nil }
            if octet == 0x0A { return String(decoding: octets, as: UTF8.self) }
            octets.append(octet)
        }
        return nil
    }

    private static func isSocket(_ descriptor: CInt) -> Bool {
        var (user, process) = (UInt32(0), Int32(0))
        return readerd_peer(descriptor, &user, &process) >= 0
    }
}
