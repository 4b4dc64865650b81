// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Logging
import Peripheral
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// An adapter that another process takes for the reader.
@Suite struct AdapterRequestTests {
    private static let name = TransportName.hciSocket(.usb("1-1.4"))
    private let reactor: Reactor
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/adapter.sock" }

    init() throws {
        reactor = try Reactor()
        directory = try TemporaryDirectory()
    }

    /// Hears what became of the connection, and ends the loop.
    private final class Owner: ControllerConnectionOwner {
        let reactor: Reactor
        var told: [String] = []
        var packets: [[UInt8]] = []
        var reached: () -> Void = {}

        init(_ reactor: Reactor) { self.reactor = reactor }

        func controllerReached() {
            told.append("reached")
            reached()
        }
        func controllerSent(_ packet: Span<UInt8>) { packets.append(packet.indices.map { packet[$0] }) }
        func controllerPaused() { reactor.stop() }
        func controllerLost(_ why: any Error) { told.append("lost: \(why)") }
        func controllerUnreachable(_ why: any Error) {
            told.append("\(why)")
            reactor.stop()
        }
    }

    /// The other process: answers each question at the socket.
    private func serve(_ answer: @escaping (CInt, String) -> Void) throws -> (listener: CInt, watch: Watch) {
        let listener = readerd_listen_unix(path, path.utf8.count, 0o600, 4)
        try #require(listener >= 0)
        let watch = try reactor.watch(listener, .readable) { _ in
            let socket = readerd_accept(listener)
            guard socket >= 0 else { return }
            var octets = [UInt8](repeating: 0, count: 64)
            let count = readerd_read(socket, &octets, octets.count)
            answer(socket, String(decoding: octets.prefix(Int(max(count, 0))), as: UTF8.self))
            readerd_close(socket)
        }
        return (listener, watch)
    }

    private func connection(_ owner: Owner) -> ControllerConnection {
        let path = path
        let connection = ControllerConnection(
            reactor, name: Self.name, takesAdapter: false,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            opening: { name, _ in throw TransportError(transport: name, fault: .notPermitted) },
            adapterService: { path })
        connection.owner = owner
        return connection
    }

    @Test func packetsGoByTheDescriptorThatWasPassed() throws {
        var pair: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | 0o4000, 0, &pair) == 0)
        var asked: [String] = []
        let service = try serve { socket, line in
            asked.append(line)
            let reply = AdapterReply.taken.octets
            _ = readerd_send_passing(socket, reply, reply.count, pair[1])
            readerd_close(pair[1])
        }
        let owner = Owner(reactor)
        let connection = connection(owner)
        let event: [UInt8] = [0x04, 0x0E, 0x03, 0x01, 0x00, 0x00]
        owner.reached = { _ = readerd_write(pair[0], event, event.count) }
        connection.open()
        try reactor.run()
        #expect(asked == ["usb-1-1.4\n"] && owner.told == ["reached"] && owner.packets == [event])
        service.watch.cancel()
        readerd_close(service.listener)
        readerd_close(pair[0])
    }

    @Test(
        arguments: [
            (
                AdapterReply.failed(.noSuchAdapter).octets,
                "no such adapter; connect it, or use one listed in /sys/class/bluetooth"
            ),
            (
                AdapterReply.failed(.adapterIsNotConfigured).octets,
                "readerd-adapter takes only the adapter of its own configuration; set hci in /etc/readerd/readerd.toml"
            ),
            // Taken, without a descriptor; nothing that can be read; the end.
            (
                [0, 0],
                "readerd-adapter does not answer: Connection reset by peer; run: systemctl restart readerd-adapter.socket"
            ),
            (
                [0xFF],
                "readerd-adapter does not answer: Connection reset by peer; run: systemctl restart readerd-adapter.socket"
            ),
            (
                [],
                "readerd-adapter does not answer: Connection reset by peer; run: systemctl restart readerd-adapter.socket"
            ),
        ] as [([UInt8], String)])
    func faultIsTheReaders(_ reply: [UInt8], _ expected: String) throws {
        let service = try serve { socket, _ in
            if !reply.isEmpty { _ = readerd_send_passing(socket, reply, reply.count, -1) }
        }
        let owner = Owner(reactor)
        let connection = connection(owner)
        connection.open()
        try reactor.run()
        #expect(owner.told == ["hci-socket:usb-1-1.4: " + expected])
        service.watch.cancel()
        readerd_close(service.listener)
    }

    @Test func serviceThatIsNotThereIsAFault() {
        let owner = Owner(reactor)
        let connection = connection(owner)
        connection.open()
        #expect(
            owner.told == [
                "hci-socket:usb-1-1.4: readerd-adapter does not answer: No such file or directory; run: systemctl "
                    + "restart readerd-adapter.socket"
            ])
    }

    @Test func serviceThatIsSilentIsAFault() throws {
        let listener = readerd_listen_unix(path, path.utf8.count, 0o600, 4)
        var ended: Result<CInt, TransportFault>?
        let request = try AdapterRequest(reactor, service: path, 0, timeout: .milliseconds(5)) {
            ended = $0
            reactor.stop()
        }
        try reactor.run()
        #expect(ended == .failure(.noAdapterService(code: ETIMEDOUT)))
        withExtendedLifetime(request) {}
        readerd_close(listener)
    }
}
