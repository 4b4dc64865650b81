// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Glibc
    import NIOCore

    /// Text for NIO's addresses and errors.
    enum SocketText {
        static func name(of address: SocketAddress) -> String {
            "\(address.ipAddress ?? "?"):\(address.port ?? 0)"
        }

        static func reason(_ error: any Error) -> String {
            if error is NIOMulticastNotSupportedError { return "the interface does not do multicast" }
            guard let error = error as? IOError else { return "\(error)" }
            return String(cString: strerror(error.errnoCode))
        }
    }
#endif
