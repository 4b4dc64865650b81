// SPDX-License-Identifier: Apache-2.0

import WiFiStation

#if NetworkDevices
    import ArgumentParser
    import Glibc
    import NIOCore
    import WiFiStation

    /// Text for NIO's addresses and errors.
    enum SocketText {
        static func name(of address: SocketAddress) -> String {
            "\(address.ipAddress ?? "?"):\(address.port ?? 0)"
        }

        /// Parses the value of `--listen`, such as `example`.
        static func address(_ listen: String, example: String) throws -> (ip: IPv4Address, port: UInt16) {
            let parts = listen.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let ip = IPv4Address(String(parts[0])), let port = UInt16(parts[1]), port > 0
            else {
                throw ValidationError(
                    "--listen \(listen.debugDescription): write an IPv4 address and a port, as \(example)")
            }
            return (ip, port)
        }

        static func reason(_ error: any Error) -> String {
            if error is NIOMulticastNotSupportedError { return "the interface does not do multicast" }
            guard let error = error as? IOError else { return "\(error)" }
            return String(cString: strerror(error.errnoCode))
        }
    }
#endif
