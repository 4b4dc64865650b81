// SPDX-License-Identifier: Apache-2.0

/// A characteristic of a `DeviceDefinition`, as returned by `addCharacteristic`, valid for that device.
public struct CharacteristicID: Hashable, Sendable {
    /// The index among its device's characteristics.
    let index: Int
}

/// The treatment of a value for which a link has no room at the moment.
public enum SendingPolicy: Equatable, Sendable {
    /// One value is queued, and a later one replaces it: for measurements, of which only the newest matters.
    case latest
    /// Up to this number of values, 1 to 256, is queued in order, and further ones are not accepted: for streams,
    /// which must not lose anything.
    case queue(Int)
    /// The value is discarded.
    case immediate

    /// The maximum number of queued values of a characteristic on one link. A queue of 256 values of up to 512 octets
    /// that is full has a client that does not read.
    var capacity: Int {
        switch self {
        case .latest: 1
        case .queue(let count): min(max(count, 1), 256)
        case .immediate: 0
        }
    }
}

/// The outcome of sending a value to one link.
public enum SendOutcome: Equatable, Sendable {
    /// Passed to the controller's queue.
    case sent
    /// Queued; sent as soon as there is room.
    case waiting
    /// Queued; the older value is discarded (`SendingPolicy.latest`).
    case replaced
    /// Not accepted: the queue is full. Try again in `onDrained`.
    case full
    /// Longer than the link allows at present: the client must exchange a larger ATT_MTU, or the value be cut.
    case tooLong(limit: Int)
    /// The client has not subscribed, or the link's security is insufficient.
    case notSubscribed
    /// The link has ended.
    case gone
}

/// The outcome of sending a value to all subscribers, as counts of links.
public struct Delivery: Equatable, Sendable {
    /// Passed to the controller's queue.
    public var sent = 0
    /// Queued, including those counted as `replaced`.
    public var waiting = 0
    /// Queued; an older value was discarded.
    public var replaced = 0
    /// Not accepted: the queue is full.
    public var full = 0
    /// Longer than the link allows.
    public var tooLong = 0

    mutating func count(_ outcome: SendOutcome) {
        switch outcome {
        case .sent: sent += 1
        case .waiting: waiting += 1
        case .replaced:
            waiting += 1
            replaced += 1
        case .full: full += 1
        case .tooLong: tooLong += 1
        case .notSubscribed, .gone: break
        }
    }
}
