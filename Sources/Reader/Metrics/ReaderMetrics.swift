public import AccessProtocol
public import Peripheral
import Timekeeping

/// What happened since the start, in numbers. A value that is fed with what the reader tells; how it is shown is the
/// shell's matter.
///
/// Counters and histograms are made once; only the first time that a status code occurs takes memory.
public struct ReaderMetrics: Sendable {
    /// What a gate made of a link.
    public enum GateResult: String, CaseIterable, Sendable {
        /// The phone is near.
        case near
        /// The window ended before it was.
        case tooFar = "too-far"
        /// It was far away.
        case wellUnder = "well-under"
    }

    /// What was decided about an attempt to open.
    public enum Decision: String, CaseIterable, Sendable {
        /// The door was to be opened.
        case granted
        /// A credential was refused.
        case denied
        /// It was good, and the door was not opened: there was no record of it, or the door let nobody in.
        case withdrawn
    }

    /// Links by the mode that they came by; the last place is for a mode that is not known.
    public private(set) var links = [UInt64](repeating: 0, count: AdvertisingMode.allCases.count + 1)
    /// Results of gates by mode, as `links`, and result.
    public private(set) var gates = [UInt64](
        repeating: 0, count: (AdvertisingMode.allCases.count + 1) * GateResult.allCases.count)
    /// Links that the reader closed, by `Refusal.name`.
    public private(set) var refusals: [String: UInt64]
    /// Exchanges by the status that they ended with.
    public private(set) var sessions: [StatusCode: UInt64] = [:]
    /// Attempts to open by what was decided, in the order of `Decision`.
    public private(set) var decisions = [UInt64](repeating: 0, count: Decision.allCases.count)
    /// Sessions of phones that touched the reader.
    public private(set) var taps: UInt64 = 0
    /// Answers that the phone could not be given.
    public private(set) var unanswerable: UInt64 = 0
    /// How often the controller was started, and how often it failed.
    public private(set) var controllerStarts: UInt64 = 0
    /// How often the controller failed and was reset.
    public private(set) var controllerFailures: UInt64 = 0
    /// Whether the controller is up.
    public private(set) var isControllerReady = false
    /// What the controller failed of last; nil while it is up.
    public private(set) var controllerFault: ControllerFault?
    /// Whether advertising was asked to run.
    public private(set) var isAdvertising = false
    /// Readings of RSSI while verifying, in dBm.
    public private(set) var rssi = Histogram(bounds: [-100, -90, -80, -75, -70, -65, -60, -55, -50, -45, -40, -30])
    /// From the packet that completed a token to the lock's line, in nanoseconds.
    public private(set) var latency = Histogram(
        bounds: [250, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000]
            .map { $0 * 1000 })

    /// The mode of the link in each of the host's slots, as a place in `links`.
    private var modes = [Int](repeating: AdvertisingMode.allCases.count, count: ReaderMetrics.slots)
    /// The host has as many connections at most.
    private static let slots = 64
    private static let places = Dictionary(
        uniqueKeysWithValues: AdvertisingMode.allCases.enumerated().map { ($0.element, $0.offset) })

    /// Nothing has happened.
    public init() {
        refusals = Dictionary(uniqueKeysWithValues: Refusal.names.map { ($0, 0) })
        sessions.reserveCapacity(64)
    }

    /// The name of a place in `links`.
    public static func modeName(_ place: Int) -> String {
        AdvertisingMode.allCases.indices.contains(place) ? AdvertisingMode.allCases[place].rawValue : "unknown"
    }

    /// Counts what happened.
    public mutating func count(_ notice: ReaderNotice) {
        switch notice {
        case .controllerReady:
            controllerStarts &+= 1
            (isControllerReady, controllerFault) = (true, nil)
        case .controllerFailed(let fault):
            controllerFailures &+= 1
            (isControllerReady, controllerFault, isAdvertising) = (false, fault, false)
        case .advertising(let on): isAdvertising = on
        case .connected(let link, let mode, _):
            let place = mode.flatMap { ReaderMetrics.places[$0] } ?? AdvertisingMode.allCases.count
            links[place] &+= 1
            if modes.indices.contains(link.slot) { modes[link.slot] = place }
        case .measured(_, let dBm): rssi.count(Int64(dBm))
        case .near(let link, _): count(link, .near)
        case .refused(let link, let refusal):
            refusals[refusal.name, default: 0] &+= 1
            guard case .link(let link) = link else { return }
            switch refusal {
            case .tooFar: count(link, .tooFar)
            case .wellUnder: count(link, .wellUnder)
            case .idle, .poolFull, .backingOff, .rssiUnavailable, .heldTooMuch, .aged, .gaveWay, .replaced: break
            }
        case .messageRefused(_, let code, _), .executed(_, _, _, let code), .decided(_, _, let code):
            sessions[code, default: 0] &+= 1
        case .unanswerable: unanswerable &+= 1
        case .tapped: taps &+= 1
        case .tapEnded, .rssiUnavailable, .unserved, .door, .doorStarted, .repeated, .disconnected, .blacklisted,
            .configurationIgnored:
            break
        }
    }

    private mutating func count(_ link: LinkID, _ result: GateResult) {
        let place = modes.indices.contains(link.slot) ? modes[link.slot] : AdvertisingMode.allCases.count
        guard let column = GateResult.allCases.firstIndex(of: result) else { return }
        gates[place * GateResult.allCases.count + column] &+= 1
    }

    /// Counts a decision.
    public mutating func count(_ decision: Decision) {
        guard let place = Decision.allCases.firstIndex(of: decision) else { return }
        decisions[place] &+= 1
    }

    /// Counts the time from the packet that completed a token to the lock's line.
    public mutating func count(latency: Duration) { self.latency.count(max(0, latency.wholeNanoseconds)) }
}

extension Refusal {
    /// Every name that a refusal has.
    static let names = [
        "too-far", "well-under", "idle", "pool-full", "backing-off", "rssi-unavailable", "held-too-much", "aged",
        "gave-way", "replaced",
    ]
}
