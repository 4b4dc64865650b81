// SPDX-License-Identifier: Apache-2.0

import Glibc
import Octets
import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

@Suite struct HCITransportTests {
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    private static let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    private func fault(_ fault: TransportFault) -> TransportError {
        TransportError(transport: .unix(path: "@pair"), fault: fault)
    }

    // MARK: Opening

    @Test func connectsOverTCPWithoutDelay() throws {
        let listener = try Listener.tcp()
        let transport = try HCITransport.open(listener.name)
        let far = try listener.accept()
        try exchange(transport, far)
        var (noDelay, length) = (CInt(0), socklen_t(4))
        getsockopt(transport.descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &noDelay, &length)
        #expect(noDelay != 0)
        #expect(fcntl(transport.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(transport.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func resolvesAName() throws {
        let listener = try Listener.tcp()
        guard case .tcpClient(_, let port) = listener.name else { return }
        // If the name also has an IPv6 address, that one refuses, and the next is used.
        let transport = try HCITransport.open(.tcpClient(host: "localhost", port: port))
        try exchange(transport, try listener.accept())
    }

    @Test func connectsToAPathAndToAnAbstractName() throws {
        let path = "/tmp/readerd-transport-\(getpid()).sock"
        unlink(path)
        defer { unlink(path) }
        for name in [path, "@readerd-transport-\(getpid())"] {
            let listener = try Listener.unix(name)
            let transport = try HCITransport.open(listener.name)
            try exchange(transport, try listener.accept())
        }
    }

    private func exchange(_ transport: HCITransport, _ far: FarEnd) throws {
        transport.send(Self.reset)
        if transport.wantsWrite {
            #expect(becomes(transport.descriptor, POLLOUT))
            try transport.writeReady()
        }
        #expect(!transport.wantsWrite)
        #expect(far.receive(exactly: 4) == Self.reset)
        far.send(Self.complete)
        #expect(try transport.packets() == [Self.complete])
    }

    @Test func whatCannotBeConnectedIsToldInOneLine() throws {
        let missing = TransportName.unix(path: "/nonexistent/hci")
        let error = #expect(throws: TransportError.self) { try HCITransport.open(missing) }
        #expect(error == TransportError(transport: missing, fault: .cannotConnect(code: ENOENT)))
        #expect(
            error?.description
                == "unix:/nonexistent/hci: cannot connect: No such file or directory; start the controller, or check "
                + "the address")

        // A port that was just given back.
        let refused = try Listener.tcp().name
        #expect(throws: TransportError(transport: refused, fault: .cannotConnect(code: ECONNREFUSED))) {
            let transport = try HCITransport.open(refused)
            #expect(becomes(transport.descriptor, POLLOUT))
            try transport.writeReady()
        }

        let unknown = TransportName.tcpClient(host: "256.1.1.1.invalid", port: 1)
        let unresolved = #expect(throws: TransportError.self) { try HCITransport.open(unknown) }
        guard case .unknownHost? = unresolved?.fault else {
            Issue.record("\(String(describing: unresolved))")
            return
        }
    }

    // MARK: Connecting

    @Test func whatIsSentWhileConnectingWaits() throws {
        let (transport, far) = HCITransport.pair(isConnecting: true)
        #expect(transport.wantsWrite)
        transport.send(Self.reset)
        transport.send(Self.complete)
        #expect(recv(far.descriptor, nil, 0, CInt(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
        try transport.writeReady()
        #expect(!transport.wantsWrite)
        #expect(far.receive() == Self.reset + Self.complete)
    }

    /// A connection that fails while it is under way says why, whichever call meets it first.
    @Test(arguments: [true, false]) func aConnectionThatFailsLaterIsAnError(readsFirst: Bool) throws {
        // Bound without listening: no other process can answer on this port.
        let (holder, connecting) = (Listener.loopbackSocket(), Listener.loopbackSocket())
        defer { close(holder) }
        var address = try #require(Listener.bindLoopback(holder))
        #expect(fcntl(connecting, F_SETFL, O_NONBLOCK) == 0)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = connect(connecting, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let transport = HCITransport(.unix(path: "@pair"), descriptor: connecting, isConnecting: true)
        transport.send(Self.reset)
        #expect(becomes(connecting, POLLOUT))
        #expect(throws: fault(.cannotConnect(code: ECONNREFUSED))) {
            if readsFirst { _ = try transport.packetsThere() } else { try transport.writeReady() }
        }
        #expect(throws: fault(.cannotConnect(code: ECONNREFUSED))) { try transport.writeReady() }
        #expect(!transport.wantsWrite)
    }

    // MARK: Reading

    @Test func packetsComeWholeHoweverTheStreamComes() throws {
        let (transport, far) = HCITransport.pair()
        for octet in Self.complete.dropLast() {
            far.send([octet])
            #expect(try transport.packets() == [])
        }
        far.send(Array(Self.complete.suffix(1)) + Self.complete + Self.complete.prefix(2))
        #expect(try transport.packets() == [Self.complete, Self.complete])
        #expect(try transport.packetsThere() == [])
        far.send(Array(Self.complete.dropFirst(2)))
        #expect(try transport.packets() == [Self.complete])
    }

    /// One call reads no more than its budget, and the rest is still there for the next.
    @Test func oneCallReadsOnlySoMuch() throws {
        let (transport, far) = HCITransport.pair(SOCK_SEQPACKET, keepsPackets: true)
        for _ in 0..<HCITransport.readsPerCall + 5 { far.send(Self.complete) }
        #expect(try transport.packetsThere().count == HCITransport.readsPerCall)
        #expect(try transport.packetsThere().count == 5)
        #expect(try transport.packetsThere().count == 0)
    }

    @Test func anEndIsToldEachTimeAfterWhatCameBefore() throws {
        let (transport, far) = HCITransport.pair()
        far.send(Self.complete)
        far.close()
        #expect(try transport.packets() == [Self.complete])
        for _ in 0..<2 {
            #expect(throws: fault(.ended)) { try transport.packets() }
            #expect(throws: fault(.ended)) { try transport.writeReady() }
        }
        transport.send(Self.reset)
        #expect(!transport.wantsWrite)
    }

    @Test func aStreamOutOfStepIsAnError() throws {
        let (transport, far) = HCITransport.pair()
        far.send(Self.complete + [0x99, 0x01])
        var packets = 0
        let error = fault(.lostSynchronization(H4Error(.unknownType(0x99), at: 7)))
        #expect(throws: error) { try transport.readReady(at: .origin) { _ in packets += 1 } }
        #expect(packets == 1)
        #expect(
            error.description
                == "unix:@pair: lost H4 synchronization: unknown HCI packet type 0x99; check the peer's protocol, the "
                + "rate and the flow control")
    }

    /// A socket that keeps packets gives whole ones, or something is wrong.
    @Test func partOfAPacketFromAPacketSocketIsAnError() throws {
        let (transport, far) = HCITransport.pair(SOCK_SEQPACKET, keepsPackets: true)
        far.send(Array(Self.complete.dropLast()))
        #expect(throws: fault(.lostSynchronization(H4Error(.incomplete, at: 0)))) { try transport.packets() }
    }

    @Test func itMayBeClosedWhileItDelivers() throws {
        let (transport, far) = HCITransport.pair()
        far.send(Self.complete + Self.complete)
        try transport.readReady(at: .origin) { _ in transport.close() }
        #expect(transport.descriptor == -1)
        #expect(try transport.packetsThere() == [])
        try transport.writeReady()
        transport.send(Self.reset)
        #expect(!transport.wantsWrite)
        #expect(far.receive().isEmpty)
    }

    // MARK: Writing

    @Test func whatDoesNotFitKeepsItsOrder() throws {
        let (transport, far) = HCITransport.pair()
        var sent: [UInt8] = []
        var count = 0
        while !transport.wantsWrite || count < 20 {
            let packet =
                [0x02, 0x40, 0x00, 0xFB, 0x00] + [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: 251)
            transport.send(packet)
            sent += packet
            if transport.wantsWrite { count += 1 }
        }
        #expect(transport.wantsWrite)
        var received: [UInt8] = []
        while received.count < sent.count {
            let more = far.receive()
            guard !more.isEmpty else { break }
            received += more
            try transport.writeReady()
        }
        let isSame = received == sent
        #expect(isSame)
        #expect(!transport.wantsWrite)
    }

    @Test func aPacketSocketGetsOnePacketInOneWrite() throws {
        let (transport, far) = HCITransport.pair(SOCK_SEQPACKET, keepsPackets: true)
        var sent: [[UInt8]] = []
        var waiting = 0
        while waiting < 3 {
            let packet =
                [0x02, 0x40, 0x00, UInt8(sent.count & 0x7F), 0x00] + [UInt8](repeating: 7, count: sent.count & 0x7F)
            transport.send(packet)
            sent.append(packet)
            if transport.wantsWrite { waiting += 1 }
        }
        for packet in sent {
            guard far.receive() == packet else {
                Issue.record("a packet was joined, cut or lost")
                return
            }
            try transport.writeReady()
        }
        #expect(!transport.wantsWrite)
    }

    /// The other end shows what one write was: its reads keep boundaries.
    @Test func whatWasEnqueuedGoesWithOneWrite() throws {
        let (transport, far) = HCITransport.pair(SOCK_SEQPACKET)
        transport.enqueue(Self.reset.span)
        transport.enqueue(Self.complete.span)
        #expect(transport.wantsWrite)
        transport.flush()
        #expect(!transport.wantsWrite)
        #expect(far.receive() == Self.reset + Self.complete)
        // A packet that is sent does not overtake those that wait.
        transport.enqueue(Self.complete.span)
        transport.send(Self.reset)
        transport.flush()
        #expect(far.receive() == Self.complete + Self.reset)
        transport.flush()
    }

    @Test func aPacketSocketGetsEnqueuedPacketsOneByOne() throws {
        let (transport, far) = HCITransport.pair(SOCK_SEQPACKET, keepsPackets: true)
        transport.enqueue(Self.reset.span)
        transport.enqueue(Self.complete.span)
        transport.flush()
        #expect(far.receive() == Self.reset)
        #expect(far.receive() == Self.complete)
    }

    @Test func whatIsEnqueuedWhileConnectingWaits() throws {
        let (transport, far) = HCITransport.pair(isConnecting: true)
        transport.enqueue(Self.reset.span)
        transport.flush()
        #expect(transport.wantsWrite)
        try transport.writeReady()
        #expect(far.receive() == Self.reset)
    }

    @Test func aControllerThatTakesNothingIsAnErrorOfEnqueuingToo() throws {
        let (transport, far) = HCITransport.pair()
        let packet = [0x02, 0x40, 0x00, 0xE8, 0x03] + [UInt8](repeating: 0, count: 1000)
        for _ in 0..<2000 { transport.enqueue(packet.span) }
        let error = #expect(throws: TransportError.self) { try transport.writeReady() }
        guard case .stalled? = error?.fault else {
            Issue.record("\(String(describing: error))")
            return
        }
        far.close()
    }

    @Test func aFailedFlushIsToldByTheNextCall() throws {
        let (transport, far) = HCITransport.pair()
        far.close()
        transport.enqueue(Self.reset.span)
        transport.flush()
        #expect(transport.wantsWrite)
        #expect(throws: fault(.failed(code: EPIPE))) { try transport.writeReady() }
    }

    @Test func aControllerThatTakesNothingIsAnError() throws {
        let (transport, far) = HCITransport.pair()
        let packet = [0x02, 0x40, 0x00, 0xE8, 0x03] + [UInt8](repeating: 0, count: 1000)
        for _ in 0..<2000 { transport.send(packet) }
        #expect(transport.wantsWrite)
        let error = #expect(throws: TransportError.self) { try transport.writeReady() }
        guard case .stalled(let count)? = error?.fault else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(count <= HCITransport.maximumQueuedCount && count > HCITransport.maximumQueuedCount - packet.count)
        #expect(!transport.wantsWrite)
        far.close()
    }

    @Test func aFailedSendIsToldByTheNextCall() throws {
        let (transport, far) = HCITransport.pair()
        far.close()
        transport.send(Self.reset)
        #expect(transport.wantsWrite)
        #expect(throws: fault(.failed(code: EPIPE))) { try transport.writeReady() }
        #expect(!transport.wantsWrite)
        #expect(throws: fault(.failed(code: EPIPE))) { try transport.packetsThere() }
    }
}
