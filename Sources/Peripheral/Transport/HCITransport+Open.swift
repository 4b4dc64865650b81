// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

extension HCITransport {
    /// The tolerance of a driver's baud rate; a receiver tolerates about 3 % in total.
    private static let rateTolerancePercent: Int64 = 2

    /// Opens a transport. TCP and Unix connections may be in progress on return. A host name is resolved synchronously,
    /// which may block for as long as the name service does: to avoid that, pass the results of
    /// `TransportName.resolved()`, called on another thread.
    ///
    /// An adapter that is up is refused or, with `takeAdapter`, taken down first.
    ///
    /// - Throws: `TransportError`.
    public static func open(
        _ name: TransportName, takeAdapter: Bool = false
    ) throws(TransportError) -> HCITransport {
        do {
            switch name {
            case .hciSocket(let adapter):
                let descriptor = try openAdapter(adapter, takeAdapter: takeAdapter)
                return HCITransport(adapter, userChannel: descriptor)
            case .serial(let path, let baud, let flowControl):
                let descriptor = try openSerial(path, baud: baud, flowControl: flowControl)
                return HCITransport(name, descriptor: descriptor, isConnecting: false, isSocket: false)
            case .tcpClient(let host, let port):
                let (descriptor, isConnecting) = try connectTCP(host, port)
                return HCITransport(name, descriptor: descriptor, isConnecting: isConnecting)
            case .unix(let path):
                let (descriptor, isConnecting) = try connectUnix(path)
                return HCITransport(name, descriptor: descriptor, isConnecting: isConnecting)
            case .netsim(let instance):
                let (descriptor, isConnecting) = try connectNetsim(NetsimPlace(instance: instance))
                return HCITransport(name, descriptor: descriptor, isConnecting: isConnecting)
            }
        } catch {
            throw TransportError(transport: name, fault: error)
        }
    }

    private static func openSerial(_ path: String, baud: UInt32, flowControl: Bool) throws(TransportFault) -> CInt {
        let descriptor = readerd_serial_open(path)
        guard descriptor >= 0 else { throw TransportFault.ofSerialLine(-descriptor) }
        do {
            try configure(descriptor, baud: baud, flowControl: flowControl)
        } catch {
            readerd_close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func configure(_ descriptor: CInt, baud: UInt32, flowControl: Bool) throws(TransportFault) {
        let result = readerd_serial_configure(descriptor, baud, flowControl)
        guard result >= 0 else { throw TransportFault.ofSerialLine(-result) }
        // A driver that does not support a rate selects another and reports success.
        var (actual, hasFlowControl, isRaw) = (UInt32(0), false, false)
        let answer = readerd_serial_settings(descriptor, &actual, &hasFlowControl, &isRaw)
        guard answer >= 0 else { throw TransportFault.ofSerialLine(-answer) }
        guard abs(Int64(actual) - Int64(baud)) * 100 <= Int64(baud) * rateTolerancePercent else {
            throw .rateRefused(actual: actual)
        }
    }

    private static func connectTCP(_ host: String, _ port: UInt16) throws(TransportFault) -> (CInt, Bool) {
        var (isConnecting, resolution) = (false, CInt(0))
        let result = readerd_connect_tcp(host, String(port), &isConnecting, &resolution)
        guard resolution == 0 else { throw .unknownHost(code: resolution) }
        guard result >= 0 else { throw .cannotConnect(code: -result) }
        return (result, isConnecting)
    }

    /// netsim listens on the loopback address of IPv4 or, where there is none, of IPv6.
    private static func connectNetsim(_ place: NetsimPlace) throws(TransportFault) -> (CInt, Bool) {
        do {
            return try connectTCP("127.0.0.1", place.port)
        } catch .cannotConnect(code: ECONNREFUSED) {
            throw place.absence()
        } catch {
            return try connectTCP("::1", place.port)
        }
    }

    private static func connectUnix(_ path: String) throws(TransportFault) -> (CInt, Bool) {
        let isAbstract = path.hasPrefix("@")
        let bare = isAbstract ? String(path.dropFirst()) : path
        var isConnecting = false
        let result = readerd_connect_unix(bare, bare.utf8.count, isAbstract, &isConnecting)
        guard result >= 0 else { throw .cannotConnect(code: -result) }
        return (result, isConnecting)
    }
}
