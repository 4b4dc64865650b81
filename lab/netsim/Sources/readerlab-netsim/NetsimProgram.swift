// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import NIOCore
import NIOPosix
import PacketStreamer
import Peripheral

/// `readerlab-netsim`: PacketStreamer, the radio of the Android Emulator, for the places of an air.
@main
struct NetsimProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readerlab-netsim",
        abstract: "PacketStreamer for the Android Emulator: each Bluetooth chip is a host at a place of readerlab air.",
        discussion: """
            readerlab air --netsim starts it. Alone, with places of an air that are Unix sockets:

              readerlab air --listen reader=tcp:127.0.0.1:7300 --listen avd=unix:/tmp/avd
              readerlab-netsim --place avd=/tmp/avd
              emulator @AVD -packet-streamer-endpoint 127.0.0.1:PORT

            It ends at SIGINT, at SIGTERM, and at the end of a pipe that is its standard input. Its output has \
            lines with tabs between their fields: open, endpoint, files; or note, place (- for none), text.
            """)

    @Option(
        help: ArgumentHelp(
            "A place: its name, and its Unix socket. May be repeated.", valueName: "NAME=PATH"))
    var place: [String] = []

    @Option(
        help: ArgumentHelp("The address and port of PacketStreamer; port 0 selects a free one.", valueName: "HOST:PORT")
    )
    var listen = "127.0.0.1:0"

    @Option(
        help: ArgumentHelp("The number of the instance: netsim.ini for 1, netsim_N.ini for others.", valueName: "N"))
    var instance: UInt16 = 1

    func validate() throws {
        guard !place.isEmpty else { throw ValidationError("without a --place there is nothing to serve") }
        for text in place where PlacePool.Place(text) == nil {
            throw ValidationError("--place \(text.debugDescription): write NAME=PATH")
        }
        guard address != nil else {
            throw ValidationError("--listen \(listen.debugDescription): write an address and a port, as 127.0.0.1:8554")
        }
        guard NetsimPlace.instances.contains(instance) else {
            throw ValidationError("--instance \(instance): write 1 to \(NetsimPlace.instances.upperBound)")
        }
    }

    private var address: SocketAddress? {
        guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
            return nil
        }
        let host = listen[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
        return try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : String(host), port: Int(port))
    }

    func run() throws {
        do { try serve() } catch {
            let error = CommandError(error)
            ConsoleOutput.write("readerlab-netsim: \(error.text)", to: STDERR_FILENO)
            throw ExitCode(error.code)
        }
    }

    private func serve() throws {
        // Before threads are created, so that all inherit the signal mask.
        let signals = try EndingSignals()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let files = try DiscoveryFiles(instance: instance)
        try files.refuseLiveOwner(on: loop)
        let pool = PlacePool(place.compactMap(PlacePool.Place.init))
        guard let address else { return }
        let server = try loop.submit { NIOLoopBound(StreamServer(pool, on: loop), eventLoop: loop) }.wait()
        let bound: SocketAddress
        do { bound = try loop.flatSubmit { server.value.listen(address) }.wait() } catch {
            throw CommandError.failed(
                "--listen \(listen): cannot listen: \(SocketFault.reason(error)); name another port")
        }
        let port = bound.port ?? 0
        defer { files.remove(port: port) }
        try files.write(port: port)
        let host = bound.protocol == .inet6 ? "[\(bound.ipAddress ?? "")]" : bound.ipAddress ?? ""
        ConsoleOutput.write((["open", "\(host):\(port)"] + files.paths).joined(separator: "\t"), to: STDOUT_FILENO)
        endWithInput(on: loop)
        _ = signals.wait()
    }

    /// Ends the program with the other end of a pipe on standard input: with the process that started it, even if that
    /// was killed.
    private func endWithInput(on loop: any EventLoop) {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        let descriptor = dup(STDIN_FILENO)
        guard descriptor >= 0 else { return }
        NIOPipeBootstrap(group: loop)
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenSuccess { channel in
                channel.closeFuture.whenComplete { _ in EndingSignals.send() }
            }
    }
}
