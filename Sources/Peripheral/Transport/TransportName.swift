// SPDX-License-Identifier: Apache-2.0

/// The name of a transport to a controller, as in `--hci` and the key `hci`.
public enum TransportName: Hashable, Sendable, CustomStringConvertible {
    /// `hci-socket:N`, `hci-socket:ADDRESS` or `hci-socket:usb-PATH`: the Linux user channel of an adapter.
    case hciSocket(AdapterName)
    /// `serial:PATH,BAUD[,rtscts]`: H4 on a serial line.
    case serial(path: String, baud: UInt32, flowControl: Bool)
    /// `tcp-client:HOST:PORT`: H4 over TCP. An IPv6 address is in brackets.
    case tcpClient(host: String, port: UInt16)
    /// `unix:PATH`, or `unix:@NAME` for a name of the abstract namespace: H4 over a Unix stream socket.
    case unix(path: String)
    /// `netsim` or `netsim:INSTANCE`: the HCI port of the Android Emulator's netsim, see `NetsimPlace`.
    case netsim(instance: UInt16)

    /// The maximum length of a Unix socket's path in octets: `sun_path` less its terminating zero.
    public static let maximumUnixPathCount = 107
    /// The minimum rate: below it advertising reports do not arrive in time.
    public static let minimumBaud: UInt32 = 9600
    /// The maximum rate: the highest constant of Linux.
    public static let maximumBaud: UInt32 = 4_000_000

    /// Parses `text`.
    ///
    /// - Throws: `TransportNameError`.
    public init(_ text: String) throws(TransportNameError) {
        guard let colon = text.firstIndex(of: ":") else {
            guard text != "netsim" else {
                self = .netsim(instance: 1)
                return
            }
            throw text == "virtual" ? .onlyInLab : .unknown(text)
        }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "hci-socket": self = try TransportName.hciSocket(rest)
        case "serial": self = try TransportName.serial(rest)
        case "tcp-client": self = try TransportName.tcpClient(rest)
        case "unix": self = try TransportName.unix(rest)
        case "netsim": self = try TransportName.netsim(rest)
        case "virtual": throw .onlyInLab
        default: throw .unknown(text)
        }
    }

    /// The name in the format of `init`.
    public var description: String {
        switch self {
        case .hciSocket(let adapter): "hci-socket:\(adapter)"
        case .serial(let path, let baud, let flowControl): "serial:\(path),\(baud)\(flowControl ? ",rtscts" : "")"
        case .tcpClient(let host, let port): "tcp-client:\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .netsim(let instance): instance == 1 ? "netsim" : "netsim:\(instance)"
        }
    }

    private static func hciSocket(_ text: Substring) throws(TransportNameError) -> TransportName {
        guard let adapter = AdapterName(text) else { throw .adapter(String(text)) }
        return .hciSocket(adapter)
    }

    private static func serial(_ text: Substring) throws(TransportNameError) -> TransportName {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { throw .serialForm(String(text)) }
        guard parts.count <= 3 else { throw .serialOption(String(parts[2])) }
        let path = String(parts[0])
        guard isPath(path), path.hasPrefix("/") else { throw .serialPath(path) }
        guard let baud: UInt32 = AdapterName.number(parts[1]), (minimumBaud...maximumBaud).contains(baud) else {
            throw .baud(String(parts[1]))
        }
        guard parts.count == 3 else { return .serial(path: path, baud: baud, flowControl: false) }
        guard parts[2] == "rtscts" else { throw .serialOption(String(parts[2])) }
        return .serial(path: path, baud: baud, flowControl: true)
    }

    private static func tcpClient(_ text: Substring) throws(TransportNameError) -> TransportName {
        guard let colon = text.lastIndex(of: ":") else { throw .tcpForm(String(text)) }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .tcpForm(String(text))
        }
        guard isPath(host), !host.contains("["), !host.contains("]") else { throw .tcpForm(String(text)) }
        let port = text[text.index(after: colon)...]
        guard let port: UInt16 = AdapterName.number(port), port > 0 else { throw .port(String(port)) }
        return .tcpClient(host: String(host), port: port)
    }

    private static func unix(_ text: Substring) throws(TransportNameError) -> TransportName {
        guard isPath(text), text != "@" else { throw .unixPath }
        // The `@` of an abstract name replaces the leading zero octet of the kernel, so it counts.
        guard text.utf8.count <= maximumUnixPathCount else { throw .unixPathTooLong(text.utf8.count) }
        return .unix(path: String(text))
    }

    private static func netsim(_ text: Substring) throws(TransportNameError) -> TransportName {
        guard let instance: UInt16 = AdapterName.number(text), NetsimPlace.instances.contains(instance) else {
            throw .netsimInstance(String(text))
        }
        return .netsim(instance: instance)
    }

    /// True if the text is a valid C string: not empty, and without a zero octet.
    private static func isPath(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && !text.utf8.contains(0)
    }
}

/// The fault of a text; the description is one line with the correct form.
public enum TransportNameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No transport has this name.
    case unknown(String)
    /// `virtual`: the reader contains no controller.
    case onlyInLab
    /// Not an adapter's number, address or USB path.
    case adapter(String)
    /// A serial line without a rate.
    case serialForm(String)
    /// Not the path of a serial device.
    case serialPath(String)
    /// Not a rate, or one out of range.
    case baud(String)
    /// Something after the rate that is not `rtscts`.
    case serialOption(String)
    /// Not a host and a port.
    case tcpForm(String)
    /// Not a port.
    case port(String)
    /// No path.
    case unixPath
    /// A path of this many octets.
    case unixPathTooLong(Int)
    /// Not the number of an instance of netsim.
    case netsimInstance(String)

    /// The fault and the correct form.
    public var description: String {
        switch self {
        case .unknown(let text):
            "unknown transport \(text.debugDescription); write hci-socket:N, serial:/dev/ttyX,BAUD[,rtscts], "
                + "tcp-client:HOST:PORT, unix:PATH or netsim[:INSTANCE]"
        case .onlyInLab:
            "the transport \"virtual\" exists only in readerlab; write hci-socket:0 for the first adapter"
        case .adapter(let text):
            "\(text.debugDescription) is not an adapter; write hci-socket:N with N from 0 to 65534, its address as "
                + "hci-socket:00:1A:7D:DA:71:13, or its USB port as hci-socket:usb-1-1.4"
        case .serialForm(let text):
            "\(text.debugDescription) lacks a rate; write serial:/dev/ttyX,BAUD or serial:/dev/ttyX,BAUD,rtscts"
        case .serialPath(let text):
            "\(text.debugDescription) is not the path of a serial device; write serial:/dev/ttyX,BAUD[,rtscts]"
        case .baud(let text):
            "\(text.debugDescription) is not a rate; write a number from \(TransportName.minimumBaud) to "
                + "\(TransportName.maximumBaud), as in serial:/dev/ttyX,115200"
        case .serialOption(let text):
            "\(text.debugDescription) is not an option after the rate; write ,rtscts for hardware flow control, or "
                + "nothing"
        case .tcpForm(let text):
            "\(text.debugDescription) is not a host and a port; write tcp-client:HOST:PORT, with an IPv6 address in "
                + "brackets"
        case .port(let text):
            "\(text.debugDescription) is not a port; write tcp-client:HOST:PORT with PORT from 1 to 65535"
        case .unixPath:
            "the socket's path is missing; write unix:PATH, or unix:@NAME for an abstract name"
        case .unixPathTooLong(let count):
            "the socket's path has \(count) octets, at most \(TransportName.maximumUnixPathCount) are possible; use a "
                + "shorter path"
        case .netsimInstance(let text):
            "\(text.debugDescription) is not an instance of netsim; write netsim, or netsim:INSTANCE with INSTANCE from 1 "
                + "to \(NetsimPlace.instances.upperBound)"
        }
    }
}
