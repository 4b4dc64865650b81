// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ArgumentParser
    import WiFi

    /// The value of `--listen`.
    enum ListenOption {
        /// Parses the value of `--listen`; the error shows `example`.
        static func address(_ listen: String, example: String) throws -> (ip: IPv4Address, port: UInt16) {
            let parts = listen.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let ip = IPv4Address(String(parts[0])), let port = UInt16(parts[1]), port > 0
            else {
                throw ValidationError(
                    "--listen \(listen.debugDescription): write an IPv4 address and a port, as \(example)")
            }
            return (ip, port)
        }
    }
#endif
