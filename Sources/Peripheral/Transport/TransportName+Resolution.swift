// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Name resolution. It may block for half a minute or longer, so an event loop must call it on another thread, and open
/// the result.
extension TransportName {
    /// The length of the buffer for addresses in octets: some twenty of IPv6.
    private static let addressesCount = 1024

    /// True if `HCITransport.open` would use a name service.
    public var hasHostName: Bool {
        guard case .tcpClient(let host, _) = self else { return false }
        return !readerd_is_address(host)
    }

    /// The transports with the host's name replaced by each of its addresses, in the order to try them; the transport
    /// itself if it has no host name.
    ///
    /// Blocks for as long as the name service does; may be called on any thread.
    ///
    /// - Throws: `unknownHost`, or `cannotConnect` with an errno of the system.
    public func resolved() throws(TransportError) -> [TransportName] {
        guard case .tcpClient(let host, let port) = self, hasHostName else { return [self] }
        var text = [CChar](repeating: 0, count: TransportName.addressesCount)
        var resolution: CInt = 0
        let number = readerd_resolve(host, &text, text.count, &resolution)
        guard resolution == 0 || resolution == EAI_SYSTEM else {
            throw TransportError(transport: self, fault: .unknownHost(code: resolution))
        }
        guard number > 0 else {
            throw TransportError(transport: self, fault: .cannotConnect(code: number < 0 ? -number : EHOSTUNREACH))
        }
        let addresses = text.split(separator: 0, omittingEmptySubsequences: true).prefix(Int(number))
        return addresses.map { octets in
            .tcpClient(host: String(decoding: octets.map { UInt8(bitPattern: $0) }, as: UTF8.self), port: port)
        }
    }
}
