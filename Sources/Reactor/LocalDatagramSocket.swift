import CLinux

/// A Unix datagram socket between this process and one that answers, such as a daemon with a control socket. Non-blocking,
/// with a file of its own by which it is answered; that goes when the socket does.
public final class LocalDatagramSocket {
    private let socket: Descriptor
    private let own: String
    private let datagram: UnsafeMutableBufferPointer<UInt8>

    /// For a reactor's watch.
    public var descriptor: CInt { socket.raw }

    /// The longest datagram that is taken; more of one is lost. Answers of daemons with control sockets are a few kilobytes.
    public static let longestDatagram = 65_536

    /// Connects to the socket at `path`, under the name `own`: a socket there is taken for one of a process that is gone.
    public init(to path: String, own: String) throws(SystemError) {
        socket = try Descriptor(
            readerd_datagram_unix_named(path, path.utf8.count, own, own.utf8.count), "connect")
        self.own = own
        datagram = .allocate(capacity: LocalDatagramSocket.longestDatagram)
        datagram.initialize(repeating: 0)
    }

    deinit {
        datagram.deallocate()
        readerd_unlink(own)
    }

    /// Sends a datagram, whole or not at all.
    public func send(_ octets: [UInt8]) throws(SystemError) {
        let sent = readerd_send(socket.raw, octets, octets.count)
        guard sent >= 0 else { throw SystemError(call: "send", code: CInt(-sent)) }
    }

    /// Hands the next datagram to `body`; false if there is none.
    public func receive(_ body: (Span<UInt8>) -> Void) throws(SystemError) -> Bool {
        let count = readerd_read(socket.raw, datagram.baseAddress, datagram.count)
        if count == -Int64(LocalDatagramSocket.nothingThere) { return false }
        guard count >= 0 else { throw SystemError(call: "recv", code: CInt(-count)) }
        body(UnsafeBufferPointer(datagram.extracting(0..<Int(count))).span)
        return true
    }

    private static let nothingThere = readerd_error_again
}
