// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The TCP ports of the loopback interface.
public enum LoopbackPort {
    /// A port of this machine that no one listens at, or nil.
    public static func free() -> UInt16? {
        withLoopback(0) { socket, address, length in
            guard bind(socket, address, length) == 0 else { return nil }
            var bound = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            }
            return code == 0 ? UInt16(bigEndian: bound.sin_port) : nil
        }
    }

    /// True if a program listens at this port of this machine.
    public static func listens(_ port: UInt16) -> Bool {
        withLoopback(port) { socket, address, length in connect(socket, address, length) == 0 ? true : nil } ?? false
    }

    private static func withLoopback<Result>(
        _ port: UInt16, _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Result?
    ) -> Result? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
