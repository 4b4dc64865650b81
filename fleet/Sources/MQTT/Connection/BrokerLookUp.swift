// SPDX-License-Identifier: Apache-2.0

import CLinux
import System

/// The look-up of a broker's name, on its own thread, since the name service may block.
enum BrokerLookUp {
    /// The maximum number of addresses that are tried.
    private static let addressLimit = 8

    /// The addresses, in order of preference; empty if the name has no address.
    struct Addresses: @unchecked Sendable {
        fileprivate(set) var list: [readerd_address] = []
    }

    /// Starts a look-up, and calls `body` on the reactor with the result; false if no thread can be created.
    static func start(
        _ broker: Broker, _ reactor: Reactor, _ body: @escaping @Sendable (Addresses) -> Void
    ) -> Bool {
        let (host, port) = (broker.host, "\(broker.port)")
        return DetachedThread.start {
            var found = [readerd_address](repeating: readerd_address(), count: addressLimit)
            var resolution: CInt = 0
            let count = readerd_look_up(host, port, &found, found.count, &resolution)
            let addresses = Addresses(list: Array(found.prefix(max(0, Int(count)))))
            reactor.perform { body(addresses) }
        }
    }
}
