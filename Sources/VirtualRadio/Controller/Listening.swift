import Peripheral
import Timekeeping

/// When a receiver is on: for `window` in each `interval`.
struct Listening {
    var interval: Duration
    var window: Duration
    var begins = Instant.origin

    /// Whether it is on.
    func hears(at now: Instant) -> Bool {
        let period = interval.wholeNanoseconds
        guard period > 0, window < interval else { return true }
        return (now - begins).wholeNanoseconds % period < window.wholeNanoseconds
    }
}

/// The scan parameters, as the host last set them.
struct ScanSettings {
    var isActive = false
    var ownAddressType: UInt8 = 0
    var usesAcceptList = false
    var listening = Listening(interval: .milliseconds(10), window: .milliseconds(10))
}

/// A scan that runs.
struct Scanner {
    /// How many advertisers the duplicate filter remembers before it starts anew.
    static let maximumSeen = 256

    /// One kind of report of one advertiser.
    struct Seen: Hashable {
        var address: BluetoothAddress
        var isScanResponse: Bool
    }

    var settings: ScanSettings
    let run: UInt64
    var ownAddress: BluetoothAddress
    var filtersDuplicates: Bool
    var seen: Set<Seen> = []

    /// Whether a report of this kind is to be made, and remembers it if so.
    mutating func admits(_ address: BluetoothAddress, isScanResponse: Bool) -> Bool {
        guard filtersDuplicates else { return true }
        if seen.count >= Scanner.maximumSeen { seen.removeAll(keepingCapacity: true) }
        return seen.insert(Seen(address: address, isScanResponse: isScanResponse)).inserted
    }
}

/// A connection that the host has asked for and that does not exist yet.
struct Initiator {
    /// nil for anybody on the filter accept list.
    var target: BluetoothAddress?
    var ownAddress: BluetoothAddress
    var listening: Listening
    var parameters: ConnectionParameters
}
