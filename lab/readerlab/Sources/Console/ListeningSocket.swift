// SPDX-License-Identifier: Apache-2.0

import CLinux
package import Commands
import Glibc
import System

/// A listening socket, closed on deinitialization; the file of a Unix socket is removed then.
package final class ListeningSocket {
    private static let backlog: CInt = 8

    package let descriptor: CInt
    /// The TCP port; nil for a Unix socket.
    package let port: UInt16?
    private let unix: UnixListener?

    /// Opens a TCP socket at a numeric address; port 0 selects a free one.
    package init(host: String, port: UInt16) throws(CommandError) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee else {
            throw .misuse("\(host.debugDescription) is no address; write one as 127.0.0.1 or ::1, or localhost")
        }
        defer { freeaddrinfo(found) }
        let place = "tcp:\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { throw ListeningSocket.failure(place, errno) }
        ListeningSocket.set(descriptor, SOL_SOCKET, SO_REUSEADDR)
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            listen(descriptor, ListeningSocket.backlog) == 0,
            let chosen = ListeningSocket.port(of: descriptor)
        else {
            let code = errno
            close(descriptor)
            throw ListeningSocket.failure(place, code)
        }
        self.port = chosen
        unix = nil
    }

    /// Opens a Unix socket that only this user can access. The socket of a killed process is replaced.
    package init(path: String) throws(CommandError) {
        do throws(UnixListener.Fault) {
            let listener = try UnixListener(path: path, mode: 0o600, isLocked: false)
            (unix, descriptor, port) = (listener, listener.descriptor, nil)
        } catch {
            throw switch error {
            case .notSocket:
                CommandError.failed("unix:\(path): exists and is no socket; remove it, or name another path")
            case .taken: ListeningSocket.failure("unix:\(path)", EADDRINUSE)
            case .lock(let code), .socket(let code): ListeningSocket.failure("unix:\(path)", code)
            }
        }
    }

    deinit {
        if unix == nil { close(descriptor) }
    }

    /// Accepts the next connection, non-blocking, or nil.
    package func accept() -> CInt? {
        let connection = readerd_accept(descriptor)
        guard connection >= 0 else { return nil }
        if port != nil { ListeningSocket.set(connection, CInt(IPPROTO_TCP), TCP_NODELAY) }
        return connection
    }

    private static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt) {
        var value: CInt = 1
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Returns the port of a socket of either family: the second pair of octets of its address.
    private static func port(of descriptor: CInt) -> UInt16? {
        var address = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { octets in
            guard let start = octets.baseAddress,
                getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &count) == 0
            else { return nil }
            return UInt16(octets[2]) << 8 | UInt16(octets[3])
        }
    }

    private static func failure(_ place: String, _ code: CInt) -> CommandError {
        let remedy =
            switch code {
            case EADDRINUSE: "end the other process, perhaps another readerlab air, or name another place"
            case EADDRNOTAVAIL: "name an address of this machine, as 127.0.0.1"
            case EACCES, EPERM: "name a place that this user may open"
            default: "name another place"
            }
        return CommandError.failed("\(place): cannot listen: \(String(cString: strerror(code))); \(remedy)")
    }
}
