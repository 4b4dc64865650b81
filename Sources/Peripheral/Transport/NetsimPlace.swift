// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The HCI port of an instance of netsim, the radio of the Android Emulator, and its file.
///
/// netsim gives each TCP connection on this port its own controller. The port is 6402 for the first instance, and one
/// more for each further one, unless `NETSIM_HCI_PORT` names it. The file exists while netsim runs. It is `netsim.ini`,
/// from the second instance on `netsim_N.ini`, in `$TMPDIR`, else `$XDG_RUNTIME_DIR`, else `/tmp`; it has lines such as
/// `grpc.port=8554`.
public struct NetsimPlace: Equatable, Sendable {
    /// The port of the first instance.
    static let firstPort: UInt16 = 6402
    /// The instances, up to the last port.
    public static let instances: ClosedRange<UInt16> = 1...UInt16.max - firstPort + 1
    /// The environment variable that replaces the port.
    static let portVariable = "NETSIM_HCI_PORT"
    /// The key of the file's line that is read, and the maximum length of the file in octets.
    private static let gRPCKey = "grpc.port=", maximumFileCount = 4096

    /// The HCI port on the loopback address.
    public let port: UInt16
    /// The path of the file.
    public let file: String

    /// The place for this process's environment.
    ///
    /// - Throws: `netsimPort` if the environment names no port.
    public init(instance: UInt16) throws(TransportFault) {
        try self.init(instance: instance) { name in getenv(name).map { String(cString: $0) } }
    }

    init(instance: UInt16, environment: (String) -> String?) throws(TransportFault) {
        if let text = environment(NetsimPlace.portVariable), !text.isEmpty {
            guard let port: UInt16 = AdapterName.number(text[...]), port > 0 else { throw .netsimPort(text) }
            self.port = port
        } else {
            port = NetsimPlace.firstPort + (instance - 1)
        }
        let directory = ["TMPDIR", "XDG_RUNTIME_DIR"].lazy.compactMap(environment).first { !$0.isEmpty } ?? "/tmp"
        let separator = directory.hasSuffix("/") ? "" : "/"
        file = directory + separator + (instance == 1 ? "netsim.ini" : "netsim_\(instance).ini")
    }

    /// The fault if the port is closed: netsim does not run, or not with this port.
    func absence() -> TransportFault {
        guard let gRPC = gRPCPort() else { return .noNetsim(port: port, file: file) }
        return .netsimWithoutHCI(port: port, file: file, gRPC: gRPC)
    }

    /// The value of the file's `grpc.port`, a port or `HOST:PORT`; nil without a file or a value.
    private func gRPCPort() -> String? {
        // Without waiting for a writer, should the path be a pipe.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: NetsimPlace.maximumFileCount)
        let count = read(descriptor, &octets, octets.count)
        guard count > 0 else { return nil }
        let lines = String(decoding: octets.prefix(count), as: UTF8.self).split(whereSeparator: \.isNewline)
        let value = lines.first { $0.hasPrefix(NetsimPlace.gRPCKey) }?.dropFirst(NetsimPlace.gRPCKey.count)
        // Printed in a line of the log: a host and a port have no other characters.
        guard let value, !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(value)
    }
}
