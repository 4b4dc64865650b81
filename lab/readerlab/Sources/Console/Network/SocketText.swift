// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Glibc
    package import NIOCore

    /// Text for NIO's addresses and errors.
    package enum SocketText {
        package static func name(of address: SocketAddress) -> String {
            "\(address.ipAddress ?? "?"):\(address.port ?? 0)"
        }

        package static func reason(_ error: any Error) -> String {
            if error is NIOMulticastNotSupportedError { return "the interface does not do multicast" }
            guard let error = error as? IOError else { return "\(error)" }
            return String(cString: strerror(error.errnoCode))
        }
    }
#endif
