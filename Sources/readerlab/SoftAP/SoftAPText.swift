#if SoftAP
    import Glibc
    import NIOCore

    /// Addresses and errors of NIO in words.
    enum SoftAPText {
        static func name(of address: SocketAddress) -> String {
            "\(address.ipAddress ?? "?"):\(address.port ?? 0)"
        }

        static func reason(_ error: any Error) -> String {
            guard let error = error as? IOError else { return "\(error)" }
            return String(cString: strerror(error.errnoCode))
        }
    }
#endif
