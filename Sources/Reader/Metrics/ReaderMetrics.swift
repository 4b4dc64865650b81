// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Credentials
public import Peripheral
import Timekeeping

/// The metrics since the start. A value that counts the reader's notices; the shell formats them.
///
/// Counters and histograms are allocated once; only the first occurrence of a status code allocates.
public struct ReaderMetrics: Sendable {
    /// The result of a link's proximity gate.
    public enum GateResult: String, CaseIterable, Sendable {
        /// The phone is near.
        case near
        /// The window ended before the phone was near.
        case tooFar = "too-far"
        /// The phone was far away.
        case wellUnder = "well-under"
        /// The phone was near, and the path loss above the limit.
        case pathLoss = "path-loss"
        /// The phone was near, and its transmit power unknown.
        case powerUnknown = "power-unknown"
    }

    /// The decision about an attempt to open.
    public enum Decision: String, CaseIterable, Sendable {
        /// The reader opens the door.
        case granted
        /// A credential was refused.
        case denied
        /// The credential was valid, but the door was not opened: its record failed, or the door refused.
        case withdrawn
    }

    /// Links by advertising mode; the last element is for an unknown mode.
    public private(set) var links = [UInt64](repeating: 0, count: AdvertisingMode.allCases.count + 1)
    /// Gate results by mode, ordered as `links`, and result.
    public private(set) var gates = [UInt64](
        repeating: 0, count: (AdvertisingMode.allCases.count + 1) * GateResult.allCases.count)
    /// Links closed by the reader, by `Refusal.name`.
    public private(set) var refusals: [String: UInt64]
    /// Exchanges by final status.
    public private(set) var sessions: [StatusCode: UInt64] = [:]
    /// Attempts to open by decision, in the order of `Decision`.
    public private(set) var decisions = [UInt64](repeating: 0, count: Decision.allCases.count)
    /// Cards of the poll role that opened nothing, by the word of the reason.
    public private(set) var refusedCards: [String: UInt64]
    /// NFC sessions.
    public private(set) var taps: UInt64 = 0
    /// Answers that could not be sent to the phone.
    public private(set) var unanswerable: UInt64 = 0
    /// The number of starts of the controller.
    public private(set) var controllerStarts: UInt64 = 0
    /// The number of failures of the controller, each followed by a reset.
    public private(set) var controllerFailures: UInt64 = 0
    /// True if the controller is up.
    public private(set) var isControllerReady = false
    /// The controller's last fault; nil while it is up.
    public private(set) var controllerFault: ControllerFault?
    /// True if the controller has confirmed that it advertises.
    public private(set) var isAdvertising = false
    /// RSSI readings during verification, in dBm.
    public private(set) var rssi = Histogram(bounds: [-100, -90, -80, -75, -70, -65, -60, -55, -50, -45, -40, -30])
    /// The time from the packet that completed a token to the lock's line, in nanoseconds.
    public private(set) var latency = Histogram(
        bounds: [250, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000]
            .map { $0 * 1000 })

    /// The mode of the link in each of the host's slots, as an index of `links`.
    private var modes = [Int](repeating: AdvertisingMode.allCases.count, count: ReaderMetrics.slots)
    /// The maximum number of the host's connections.
    private static let slots = 64
    private static let places = Dictionary(
        uniqueKeysWithValues: AdvertisingMode.allCases.enumerated().map { ($0.element, $0.offset) })

    /// Creates metrics without counts.
    public init() {
        refusals = Dictionary(uniqueKeysWithValues: Refusal.names.map { ($0, 0) })
        refusedCards = Dictionary(uniqueKeysWithValues: CardRefusal.allCases.map { ($0.rawValue, 0) })
        sessions.reserveCapacity(64)
    }

    /// Returns the name of an index of `links`.
    public static func modeName(_ place: Int) -> String {
        AdvertisingMode.allCases.indices.contains(place) ? AdvertisingMode.allCases[place].rawValue : "unknown"
    }

    /// Counts a notice.
    public mutating func count(_ notice: ReaderNotice) {
        switch notice {
        case .controllerReady:
            controllerStarts &+= 1
            (isControllerReady, controllerFault) = (true, nil)
        case .controllerFailed(let fault):
            controllerFailures &+= 1
            (isControllerReady, controllerFault, isAdvertising) = (false, fault, false)
        case .advertising(let state): isAdvertising = state == .on
        case .connected(let link, let mode, _):
            let place = mode.flatMap { ReaderMetrics.places[$0] } ?? AdvertisingMode.allCases.count
            links[place] &+= 1
            if modes.indices.contains(link.slot) { modes[link.slot] = place }
        case .measured(_, let dBm, _): rssi.count(Int64(dBm))
        case .near(let link, _): count(link, .near)
        case .refused(let link, let refusal):
            refusals[refusal.name, default: 0] &+= 1
            guard let link = link.link else { return }
            switch refusal {
            case .tooFar: count(link, .tooFar)
            case .wellUnder: count(link, .wellUnder)
            case .pathLoss: count(link, .pathLoss)
            case .powerUnknown: count(link, .powerUnknown)
            case .idle, .poolFull, .backingOff, .rssiUnavailable, .powerUnavailable, .earlyDataExceeded,
                .lifetimeExceeded, .evicted, .replaced, .surveyed, .outdated:
                break
            }
        case .messageRefused(_, let code, _), .executed(_, _, _, let code): sessions[code, default: 0] &+= 1
        case .decided(_, let decision, let code):
            sessions[code, default: 0] &+= 1
            if let reason = decision.cardRefusal { refusedCards[reason, default: 0] &+= 1 }
        case .cardRefused(_, _, let refusal): refusedCards[refusal.rawValue, default: 0] &+= 1
        case .unanswerable: unanswerable &+= 1
        case .tapped: taps &+= 1
        case .traced, .tapEnded, .rssiUnavailable, .rssiUnusable, .rssiUsable, .unserved, .advertisingRefused, .door,
            .doorStarted, .repeated, .disconnected, .blacklisted, .configurationIgnored, .mailbox:
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

extension CredentialDecision {
    /// The reason in one word why a proven card opens nothing; nil for a grant, and for other credentials.
    var cardRefusal: String? {
        guard card != nil else { return nil }
        if let refusal { return refusal.rawValue }
        switch outcome {
        case .granted: return nil
        case .denied(let reason): return String(reason.rawValue.map { $0 == " " ? "-" : $0 })
        case .failed(.storageFull): return "log-full"
        case .failed: return "not-recorded"
        }
    }
}

extension Refusal {
    /// The names of all refusals.
    static let names = [
        "too-far", "well-under", "path-loss", "power-unknown", "idle", "pool-full", "backing-off", "rssi-unavailable",
        "power-unavailable", "held-too-much", "aged", "gave-way", "replaced", "surveyed",
        "outdated",
    ]
}
