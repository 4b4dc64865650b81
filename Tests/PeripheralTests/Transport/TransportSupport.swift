// SPDX-License-Identifier: Apache-2.0

import Glibc
import Octets
import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// The controller's end: octets as they are on the wire.
final class FarEnd {
    private(set) var descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func send(_ octets: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(write(descriptor, octets, octets.count) == octets.count, sourceLocation: sourceLocation)
    }

    /// Waits for octets and gives what one read gives; empty at the end of the stream.
    func receive(atMost count: Int = 65536) -> [UInt8] {
        guard becomes(descriptor, POLLIN) else { return [] }
        var octets = [UInt8](repeating: 0, count: count)
        let got = read(descriptor, &octets, count)
        return Array(octets.prefix(max(got, 0)))
    }

    /// Reads until it has so many octets.
    func receive(exactly count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            let more = receive(atMost: count - octets.count)
            guard !more.isEmpty else { break }
            octets += more
        }
        return octets
    }
}

/// A socket that listens on loopback or on a Unix name, and is closed at the end of the test.
final class Listener {
    let descriptor: CInt
    let name: TransportName

    init(_ descriptor: CInt, _ name: TransportName) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    static func tcp() throws -> Listener {
        let descriptor = loopbackSocket()
        let address = try #require(bindLoopback(descriptor))
        try #require(listen(descriptor, 8) == 0)
        return Listener(descriptor, .tcpClient(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port)))
    }

    static func loopbackSocket() -> CInt { socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) }

    /// Binds to a free port of 127.0.0.1 and tells which.
    static func bindLoopback(_ descriptor: CInt) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        return isBound ? address : nil
    }

    /// On a path, or with a leading `@` on an abstract name.
    static func unix(_ path: String) throws -> Listener {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            for (index, octet) in octets.enumerated() where !(index == 0 && path.hasPrefix("@")) {
                place[index] = octet
            }
        }
        let isAbstract = path.hasPrefix("@")
        let length = socklen_t(MemoryLayout<sa_family_t>.size + octets.count + (isAbstract ? 0 : 1))
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
            }
        }
        try #require(isListening)
        return Listener(descriptor, .unix(path: path))
    }

    /// Waits for a connection.
    func accept() throws -> FarEnd {
        try #require(becomes(descriptor, POLLIN))
        return FarEnd(Glibc.accept(descriptor, nil, nil))
    }
}

extension HCITransport {
    /// A transport on one end of a socket pair, and the other end.
    static func pair(
        _ type: __socket_type = SOCK_STREAM, isConnecting: Bool = false, keepsPackets: Bool = false
    ) -> (HCITransport, FarEnd) {
        var pair: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(type.rawValue), 0, &pair) == 0)
        #expect(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0)
        let transport = HCITransport(
            .unix(path: "@pair"), descriptor: pair[0], isConnecting: isConnecting, keepsPackets: keepsPackets)
        return (transport, FarEnd(pair[1]))
    }

    /// Waits until there is something to be read, and gives the packets of one call.
    func packets(at now: Instant = .origin) throws(TransportError) -> [[UInt8]] {
        _ = becomes(descriptor, POLLIN)
        return try packetsThere(at: now)
    }

    /// The packets of one call, without waiting.
    func packetsThere(at now: Instant = .origin) throws(TransportError) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        try readReady(at: now) { packet in
            var copy: [UInt8] = []
            copy.append(packet)
            packets.append(copy)
        }
        return packets
    }

    func send(_ packet: [UInt8]) { send(packet.span) }
}
