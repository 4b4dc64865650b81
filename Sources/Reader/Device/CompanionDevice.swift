// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// Another device on the reader's host, with its own address, table and links. Phones of one device see nothing of the
/// other, and its links take no slot of the reader.
///
/// A class: the owner of its other inputs passes them in directly, and calls `ReaderDevice.advanceCompanions` then.
public protocol CompanionDevice: AnyObject {
    /// Its attributes and the requirements on pairings, for the host.
    var served: ServedDevice { get }
    /// The host's configuration for pairing, which is the first companion's that has one; nil if the device does not
    /// pair.
    var security: SecuritySetup? { get }
    /// Its advertising, while the reader advertises anything; nil while it is hidden.
    var advertisingSet: AdvertisingSet? { get }
    /// True if any of its links is up, including closing ones.
    var hasLinks: Bool { get }
    /// The next time at which `advance` has work.
    var nextDeadline: Instant? { get }

    /// Handles an event of the host; false if it belongs to another device.
    func receive(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool
    /// Handles deadlines, and the consequences of inputs other than the host's.
    func advance(_ host: inout Host, to now: Instant)
    /// Ends its links, for the end of the process.
    func shutDown(_ host: inout Host, at now: Instant)
}
