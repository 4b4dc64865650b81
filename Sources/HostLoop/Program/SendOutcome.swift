/// A characteristic of a `DeviceDefinition`: what `addCharacteristic` returned, for that device's handlers.
public struct CharacteristicID: Hashable, Sendable {
    /// Counts the characteristics of its device.
    let index: Int
}

/// What becomes of a value that a link has no room for at the moment.
public enum SendingPolicy: Equatable, Sendable {
    /// It waits, and a later one takes its place: for measurements, of which only the newest is worth anything.
    case latest
    /// So many wait in order, 1 to 256, and one more is not taken: for streams, which may not lose anything.
    case queue(Int)
    /// It is not sent.
    case immediate

    /// How many values of a characteristic may wait on one link. A queue longer than 256 values of up to 512 octets is
    /// not what waits for room but what nobody reads.
    var capacity: Int {
        switch self {
        case .latest: 1
        case .queue(let count): min(max(count, 1), 256)
        case .immediate: 0
        }
    }
}

/// What became of a value for one link.
public enum SendOutcome: Equatable, Sendable {
    /// It is on its way.
    case sent
    /// There is no room at the moment; it is sent as soon as there is.
    case waiting
    /// It waits, and an older one that waited is given up for it (`SendingPolicy.latest`).
    case replaced
    /// There is no room, and as much waits as may: try again in `onDrained`.
    case full
    /// It is longer than the link takes at present: the client has to agree on a larger ATT_MTU, or the value be cut.
    case tooLong(limit: Int)
    /// The client has not asked for it, or may not have it on such a link.
    case notSubscribed
    /// The link is gone.
    case gone
}

/// What became of a value for all that have subscribed to it, as counts of links.
public struct Delivery: Equatable, Sendable {
    /// It is on its way.
    public var sent = 0
    /// It waits for room, for `replaced` among them in place of an older one.
    public var waiting = 0
    /// An older value was given up.
    public var replaced = 0
    /// There was no room for it.
    public var full = 0
    /// It is longer than the link takes.
    public var tooLong = 0

    /// Counts one link.
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
