public import Timekeeping

/// A Smarter AI camera while it is onboarded, as a value: writes, the station's events and the time go in; values, and
/// what else is to be done, come out.
///
/// The order of the signals is published; how long each step takes, and what is not said there, is in
/// `CameraSettings`. After each call take the actions until there is none, and call `advance` when `deadline` has come.
public struct Camera: Sendable {
    /// What it works on.
    enum Phase: Equatable, Sendable {
        /// Nothing.
        case idle
        /// A client's writes, which end at the latest when it has been quiet until then.
        case receiving(client: UInt32, writes: Int, until: Instant)
        /// Looking for the network, to learn how it is protected. The best access point so far.
        case scanning(Attempt, best: WiFiNetwork?)
        /// On the way into the network.
        case joining(Attempt)
        /// The connectivity check.
        case checking(CameraCredentials, until: Instant)
        /// The talk with the server.
        case pairing(CameraCredentials, until: Instant)
        /// The end is near: 1307 then.
        case diagnostics(until: Instant)
        /// 1307 is said: the links end then.
        case closing(until: Instant)
    }

    /// A network that is tried.
    struct Attempt: Equatable, Sendable {
        var credentials: CameraCredentials
        /// Whether a client has sent them, or they were kept.
        var isOnboarding: Bool
    }

    /// What is set.
    public let settings: CameraSettings
    /// The server at which tokens are redeemed. May be changed at any time.
    public var server: PairingServer
    /// What its value says now.
    public internal(set) var status: CameraStatus
    /// What it has kept, or would keep.
    public internal(set) var kept: CameraCredentials?

    var phase = Phase.idle
    var isOnboarded: Bool
    var retry: Instant?
    var reader = CameraCredentialsReader()
    var actions: [CameraAction] = []
    private var messages = 0

    /// A camera; nothing happens before `start`.
    public init(_ start: CameraStart, settings: CameraSettings = CameraSettings(), server: PairingServer) {
        self.settings = settings
        self.server = server
        let signal: CameraSignal
        switch start {
        case .waiting:
            signal = .waiting
            isOnboarded = false
        case .onboardedOffline:
            signal = .onboarded
            isOnboarded = true
        case .kept(let credentials):
            signal = .notReady
            isOnboarded = true
            kept = credentials
        }
        status = CameraStatus(notification: signal, onboarding: signal, connectivity: .connectivityDown)
    }

    /// Whether it can be found: while it is not onboarded, or not online.
    public var isAdvertised: Bool {
        !(status.onboarding == .onboarded && status.connectivity == .connectivityUp) || isClosing
    }

    private var isClosing: Bool {
        switch phase {
        case .diagnostics, .closing: true
        default: false
        }
    }

    /// The next thing to do; nil if there is none.
    public mutating func nextAction() -> CameraAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// Power is on: a camera that has kept credentials tries them.
    public mutating func start(_ station: inout some WiFiStation, at now: Instant) {
        guard let kept, phase == .idle else { return }
        attempt(Attempt(credentials: kept, isOnboarding: false), &station, at: now)
    }

    // MARK: - Clients

    /// Why a write of this client would not be taken now; nil if it would. Published: credentials are taken in 111, and
    /// in 113 with 1505.
    public func refusal(of client: UInt32) -> CameraRefusal? {
        switch phase {
        case .idle:
            switch (status.onboarding, status.connectivity) {
            case (.waiting, _), (.onboarded, .connectivityDown): nil
            case (.onboarded, _): .online
            default: .notReady
            }
        case .receiving(let other, _, _): other == client ? nil : .busy
        // Trying again by itself, while it is offline, is not what a client would have to wait for.
        case .scanning(let attempt, _) where !attempt.isOnboarding, .joining(let attempt) where !attempt.isOnboarding:
            status.onboarding == .onboarded ? nil : .notReady
        case .scanning, .joining, .checking, .pairing: .busy
        case .diagnostics, .closing: .closing
        }
    }

    /// A client has written to the characteristic for credentials. Throws if it is not the time for that; what was
    /// written is then as if it had not been.
    ///
    /// - Parameter client: a number of the client's link, other than those of other links.
    public mutating func write(
        _ octets: Span<UInt8>, client: UInt32, _ station: inout some WiFiStation, at now: Instant
    ) throws(CameraRefusal) {
        if let refusal = refusal(of: client) { throw refusal }
        var writes = 1
        if case .receiving(_, let before, _) = phase { writes = before + 1 }
        giveUpRetry(&station, at: now)
        do throws(CameraCredentialsFault) {
            if let (credentials, form) = try reader.append(octets) {
                understood(credentials, form, writes, &station, at: now)
            } else {
                phase = .receiving(client: client, writes: writes, until: now + settings.quietTime)
            }
        } catch {
            misunderstood(error, writes, at: now)
        }
    }

    /// A client is gone; what it had begun to write is forgotten. What the camera has begun goes on.
    public mutating func clientGone(_ client: UInt32, at now: Instant) {
        guard case .receiving(client, _, _) = phase else { return }
        reader.removeAll()
        rest(at: now)
    }

    // MARK: - Time

    /// When to call `advance` if nothing else happens; the station's own deadline is not in it.
    public var deadline: Instant? {
        switch phase {
        case .idle: retry
        case .receiving(_, _, let until), .checking(_, let until), .pairing(_, let until), .diagnostics(let until),
            .closing(let until):
            until
        case .scanning, .joining: nil
        }
    }

    /// Time has come to `now`. The station is brought there too, and its events are taken.
    public mutating func advance(to now: Instant, _ station: inout some WiFiStation) {
        station.advance(to: now)
        while let event = station.nextEvent() { take(event, &station, at: now) }
        while let deadline, deadline <= now {
            switch phase {
            case .idle: tryKept(&station, at: now)
            case .receiving(_, let writes, _): becameQuiet(writes, &station, at: now)
            case .checking(let credentials, _): checked(credentials, &station, at: now)
            case .pairing(let credentials, _): redeem(credentials, &station, at: now)
            case .diagnostics: sayClosing(at: now)
            case .closing: close(at: now)
            case .scanning, .joining: return
            }
        }
    }

    // MARK: - Telling

    /// Says that something is so now, to everybody; each text is another one.
    mutating func tell(_ notification: CameraSignal, _ text: String) {
        status.notification = notification
        messages += 1
        actions.append(.tell(status, text: "\(messages) \(text)\n"))
    }

    /// The status as a client is told that has just come, with a text of its own.
    public mutating func tellNow() -> (CameraStatus, text: String) {
        messages += 1
        return (status, "\(messages) \(status.onboarding.name ?? "here")\n")
    }
}
