public import Peripheral
public import Timekeeping

/// Another device on the reader's radio, with an address, a table and links of its own: phones of the one see nothing of the
/// other, and its links take no slot of the reader's. It is the host's second device.
///
/// A class: whoever has its other inputs hands them in, and calls `ReaderDevice.advanceCompanion` then.
public protocol CompanionDevice: AnyObject {
    /// Its attributes and what is demanded of pairings, for the host.
    var served: ServedDevice { get }
    /// What the host needs so that it may pair.
    var security: SecuritySetup { get }
    /// What it advertises, as long as the reader advertises anything; nil while nobody is to find it.
    var advertisingSet: AdvertisingSet? { get }
    /// Whether any link of it is up, those on their way out included.
    var hasLinks: Bool { get }
    /// When `advance` is to be called next.
    var nextDeadline: Instant? { get }

    /// Takes an event of the host; false if it is none of this device's.
    func take(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool
    /// Does what is due, and what other inputs than the host's have brought about.
    func advance(_ host: inout Host, to now: Instant)
    /// Ends its links, for the end of the process.
    func shutDown(_ host: inout Host, at now: Instant)
}
