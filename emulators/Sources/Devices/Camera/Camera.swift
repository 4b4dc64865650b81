// SPDX-License-Identifier: Apache-2.0

public import Timekeeping
import WiFi
public import WiFiStation

/// A Smarter AI camera during its onboarding, as a value: writes, events of the station and the time go in; values
/// and other actions come out.
///
/// The order of the signals is published; the durations of the steps, and unpublished details, are in
/// `CameraSettings`. After each call drain `nextAction`, and call `advance` at `deadline`.
public struct Camera: Sendable {
    /// The current activity.
    enum Phase: Equatable, Sendable {
        /// Nothing.
        case idle
        /// Preparing itself, before it waits for credentials.
        case preparing(until: Instant)
        /// Receiving a client's writes; `until` is the end of the quiet time.
        case receiving(client: UInt32, writes: Int, until: Instant)
        /// Scanning for the network, to learn its security. `best` is the strongest access point so far.
        case scanning(Attempt, best: WiFiNetwork?)
        /// Joining the network.
        case joining(Attempt)
        /// The connectivity check.
        case checking(CameraCredentials, until: Instant)
        /// Redeeming the token at the server.
        case pairing(CameraCredentials, until: Instant)
        /// Time for diagnostics, followed by 1307.
        case diagnostics(until: Instant)
        /// 1307 has been reported; the links end at `until`.
        case closing(until: Instant)
    }

    /// An attempt to join a network.
    struct Attempt: Equatable, Sendable {
        var credentials: CameraCredentials
        /// True if a client has sent the credentials, false if they were stored.
        var isOnboarding: Bool
    }

    /// The settings.
    public let settings: CameraSettings
    /// The server at which tokens are redeemed, which may be replaced at any time.
    public var server: PairingServer
    /// The current value.
    public internal(set) var status: CameraStatus
    /// The stored credentials.
    public internal(set) var kept: CameraCredentials?

    var phase = Phase.idle
    var isOnboarded: Bool
    /// False for a camera that is onboarded and not paired.
    var isPaired = true
    var retry: Instant?
    var reader = CameraCredentialsReader()
    var actions: [CameraAction] = []
    private var messages = 0

    /// A camera in this initial state, idle until `start`.
    public init(_ start: CameraStart, settings: CameraSettings = CameraSettings(), server: PairingServer) {
        self.settings = settings
        self.server = server
        let signal: CameraSignal
        var connectivity = CameraSignal.connectivityDown
        switch start {
        case .waiting:
            signal = .waiting
            isOnboarded = false
        case .onboardedOffline:
            signal = .onboarded
            isOnboarded = true
        case .onboardedOnline:
            signal = .onboarded
            connectivity = .connectivityUp
            isOnboarded = true
            isPaired = false
        case .preparing:
            signal = .notReady
            isOnboarded = false
        case .kept(let credentials):
            signal = .notReady
            isOnboarded = true
            kept = credentials
        }
        status = CameraStatus(notification: signal, onboarding: signal, connectivity: connectivity)
    }

    /// True if the camera advertises: while it is not onboarded, not paired, or offline.
    public var isAdvertised: Bool {
        !(status.onboarding == .onboarded && status.connectivity == .connectivityUp && isPaired) || isClosing
    }

    private var isClosing: Bool {
        switch phase {
        case .diagnostics, .closing: true
        default: false
        }
    }

    /// Removes and returns the next action; nil if no action is pending.
    public mutating func nextAction() -> CameraAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// Switches the camera on; stored credentials are tried.
    public mutating func start(_ station: inout some WiFiStation, at now: Instant) {
        guard phase == .idle else { return }
        if status.onboarding == .notReady, kept == nil { phase = .preparing(until: now + settings.readyTime) }
        guard let kept else { return }
        attempt(Attempt(credentials: kept, isOnboarding: false), &station, at: now)
    }

    // MARK: - Clients

    /// The reason why a write of this client would be refused now; nil if it would be accepted. As published,
    /// credentials are accepted in 111, and in 113 with 1505.
    public func refusal(of client: UInt32) -> CameraRefusal? {
        switch phase {
        case .idle:
            switch (status.onboarding, status.connectivity) {
            case (.waiting, _), (.onboarded, .connectivityDown): nil
            case (.onboarded, _): .online
            default: .notReady
            }
        case .receiving(let other, _, _): other == client ? nil : .busy
        // A client need not wait for the camera's own retries while offline.
        case .scanning(let attempt, _) where !attempt.isOnboarding, .joining(let attempt) where !attempt.isOnboarding:
            status.onboarding == .onboarded ? nil : .notReady
        case .preparing: .notReady
        case .scanning, .joining, .checking, .pairing: .busy
        case .diagnostics, .closing: .closing
        }
    }

    /// Handles a client's write to the credentials characteristic.
    ///
    /// - Parameter client: a number that identifies the client's link.
    /// - Throws: `CameraRefusal` if credentials are not accepted now; the write has no effect then.
    public mutating func write(
        _ octets: Span<UInt8>, client: UInt32, _ station: inout some WiFiStation, at now: Instant
    ) throws(CameraRefusal) {
        if let refusal = refusal(of: client) { throw refusal }
        var writes = 1
        if case .receiving(_, let before, _) = phase { writes = before + 1 }
        giveUpRetry(&station, at: now)
        do throws(CameraCredentialsFault) {
            if let (credentials, form) = try reader.append(octets, allowsNoName: settings.hasSIM) {
                understood(credentials, form, writes, &station, at: now)
            } else {
                phase = .receiving(client: client, writes: writes, until: now + settings.quietTime)
            }
        } catch {
            misunderstood(error, writes, at: now)
        }
    }

    /// Handles the end of a client's link; its incomplete credentials are discarded. Steps in progress continue.
    public mutating func clientGone(_ client: UInt32, at now: Instant) {
        guard case .receiving(client, _, _) = phase else { return }
        reader.removeAll()
        rest(at: now)
    }

    // MARK: - Time

    /// The time of the next call of `advance` if nothing else happens, regardless of the station's own deadline.
    public var deadline: Instant? {
        switch phase {
        case .idle: retry
        case .preparing(let until), .receiving(_, _, let until), .checking(_, let until), .pairing(_, let until),
            .diagnostics(let until),
            .closing(let until):
            until
        case .scanning, .joining: nil
        }
    }

    /// Advances the camera and the station to `now`, and handles the station's events.
    public mutating func advance(to now: Instant, _ station: inout some WiFiStation) {
        station.advance(to: now)
        while let event = station.nextEvent() { receive(event, &station, at: now) }
        while let deadline, deadline <= now {
            switch phase {
            case .idle: tryKept(&station, at: now)
            case .preparing: becameReady()
            case .receiving(_, let writes, _): becameQuiet(writes, &station, at: now)
            case .checking(let credentials, _): checked(credentials, &station, at: now)
            case .pairing(let credentials, _): redeem(credentials, &station, at: now)
            case .diagnostics: sayClosing(at: now)
            case .closing: close(at: now)
            case .scanning, .joining: return
            }
        }
    }

    // MARK: - Reporting

    /// Reports a signal to all subscribers; each text is different.
    mutating func report(_ notification: CameraSignal, _ text: String) {
        status.notification = notification
        messages += 1
        actions.append(.tell(status, text: "\(messages) \(text)\n"))
    }

    /// The current status and a text, for a client that has just subscribed.
    public mutating func tellNow() -> (CameraStatus, text: String) {
        messages += 1
        return (status, "\(messages) \(status.onboarding.name ?? "here")\n")
    }
}
