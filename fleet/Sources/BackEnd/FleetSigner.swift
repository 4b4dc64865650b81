// SPDX-License-Identifier: Apache-2.0

public import Commands
import Crypto
import Fleet
import Glibc

/// The key that signs orders to a reader of a site, and its counter, which is on the disk before an order is sent.
public struct FleetSigner {
    /// The values that are new in each order.
    public struct Stamp: Sendable {
        /// The identifier.
        public var id: [UInt8]
        /// The counter.
        public var counter: UInt64
        /// The time, in seconds since 1970.
        public var now: UInt64
    }

    private let keyPath: String
    /// The key.
    public let key: OrderKey
    /// The reader's identifier in topics.
    public let device: String
    /// The reader's name and its terminal key.
    public let reader: FleetSite.Reader

    /// The key in a file, for the reader of this name at a site.
    public init(reader name: String, site path: String, commandKey: String) throws(CommandError) {
        do throws(CredentialError) {
            let site = try FleetSite(CredentialStore.site(path), path: path)
            device = try site.device(of: name)
            guard let reader = site.readers[device] else {
                throw CredentialError("\(path): has no key of \(name)")
            }
            self.reader = reader
        } catch {
            throw .misuse(error.description)
        }
        keyPath = commandKey
        key = try OrderKey(path: commandKey)
    }

    /// The values of an order that is sent now.
    public func stamp() throws(CommandError) -> Stamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let seconds = UInt64(clamping: now.tv_sec)
        let counter = try OrderCounter(keyPath: keyPath)
            .next(at: seconds * 1000 + UInt64(clamping: now.tv_nsec / 1_000_000))
        var random = SystemRandomSource()
        return Stamp(id: random.octets(RemoteOrder.idCount), counter: counter, now: seconds)
    }
}
