// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The duty cycle of a receiver: on for `window` in each `interval`.
struct Listening {
    var interval: Duration
    var window: Duration
    var begins = Instant.origin

    /// True if the receiver is on.
    func hears(at now: Instant) -> Bool {
        let period = interval.wholeNanoseconds
        guard period > 0, window < interval else { return true }
        return (now - begins).wholeNanoseconds % period < window.wholeNanoseconds
    }

    /// The number of the advertising channel on which the receiver listens: the next one in each interval (Core 5.4,
    /// Vol 6, Part B, 4.4.3).
    func channel(at now: Instant) -> Int {
        let period = interval.wholeNanoseconds
        return period > 0 ? Int((now - begins).wholeNanoseconds / period % Int64(Fading.advertisingChannels)) : 0
    }
}

/// The scan parameters last set by the host.
struct ScanSettings {
    var isActive = false
    var ownAddressType: UInt8 = 0
    var usesAcceptList = false
    var listening = Listening(interval: .milliseconds(10), window: .milliseconds(10))
}

/// An enabled scan.
struct Scanner {
    /// The number of advertisers in the duplicate filter after which it restarts.
    static let maximumSeen = 256

    /// A kind of report of an advertiser.
    struct Seen: Hashable {
        var address: BluetoothAddress
        var isScanResponse: Bool
    }

    var settings: ScanSettings
    let run: UInt64
    var filtersDuplicates: Bool
    var seen: Set<Seen> = []

    /// True if a report passes the duplicate filter, which records it.
    mutating func admits(_ address: BluetoothAddress, isScanResponse: Bool) -> Bool {
        guard filtersDuplicates else { return true }
        if seen.count >= Scanner.maximumSeen { seen.removeAll(keepingCapacity: true) }
        return seen.insert(Seen(address: address, isScanResponse: isScanResponse)).inserted
    }
}

/// A pending connection attempt.
struct Initiator {
    /// The peer; nil for any on the filter accept list.
    var target: BluetoothAddress?
    var ownAddressType: UInt8
    var listening: Listening
    var parameters: ConnectionParameters
}
