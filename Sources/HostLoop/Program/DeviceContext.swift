public import Peripheral
public import Timekeeping

/// What a handler may do: send values, answer what was left for later, end links, see to pairing.
///
/// It is about one device, the one whose handler it is given to; links and characteristics are that device's. What is
/// sent to a link that is gone, or is not this device's, goes nowhere. Valid for the time of the call.
public struct DeviceContext: ~Copyable {
    /// The time of the input that is being handled.
    public internal(set) var now = Instant.origin
    /// Which of the program's devices, counted from 0.
    public internal(set) var device = 0

    /// A link of any device, what its client wants, and what waits for it.
    struct Connection {
        var link: LinkID
        var description: LinkDescription
        var wanted: [(characteristic: Int, ClientConfiguration)] = []
        var outbox = LinkOutbox()

        func wants(_ characteristic: Int) -> ClientConfiguration {
            wanted.first { $0.characteristic == characteristic }?.1 ?? []
        }
    }

    var host: Host
    var tables: [CharacteristicTable]
    var connections: [Connection] = []
    /// The advertising set of each device, and whether it is on the air.
    var sets: [(set: AdvertisingSet, isOnAir: Bool)] = []
    /// Why the link ended whose `onDisconnect` is being called; nil in all other handlers.
    public internal(set) var disconnectReason: HCIStatus?
    /// Links for which nothing waits any more, and that were not told.
    var drainedLinks: [LinkID] = []

    init(_ host: consuming Host, _ tables: [CharacteristicTable]) {
        self.host = host
        self.tables = tables
    }

    // MARK: - Links

    /// The device's links.
    public var links: [LinkID] { connections.filter { $0.description.device == device }.map(\.link) }

    /// What is known of a link since it came up; nil if it is gone.
    public func description(of link: LinkID) -> LinkDescription? { place(of: link).map { connections[$0].description } }

    /// How a link is protected now; not at all if it is gone.
    public func securityLevel(_ link: LinkID) -> LinkSecurityLevel { host.securityLevel(link) }

    /// The identity of the bonded phone at the other end, once the link is encrypted with a key that only it has.
    public func provenPeer(_ link: LinkID) -> BluetoothAddress? { host.provenPeer(link) }

    /// Ends a link; `onDisconnect` follows.
    public mutating func disconnect(_ link: LinkID, reason: HCIStatus = .remoteUserTerminated) {
        guard place(of: link) != nil else { return }
        host.disconnect(link, reason: reason, at: now)
    }

    // MARK: - Values

    /// Sets what clients read; nobody is told. Throws for a value that is longer than the characteristic takes, and for
    /// one that can be neither read nor written.
    public mutating func setValue(
        _ characteristic: CharacteristicID, _ value: [UInt8]
    ) throws(AttributeValueError) {
        let index = characteristic.index
        guard tables[device].handles.indices.contains(index) else { throw .unknownHandle }
        guard tables[device].values[index] != nil else {
            return try host.setValue(value.span, of: tables[device].handles[index], device: device)
        }
        let maximum = tables[device].maximumCounts[index]
        guard value.count <= maximum else { throw .tooLong(maximum: maximum) }
        tables[device].values[index] = value
    }

    /// Gives the value for a `ReadRequest` that was answered `later`: `gone` if the link is, or the time is over,
    /// `tooLong` above 512 octets.
    @discardableResult
    public mutating func answer(_ request: ReadRequest, _ value: [UInt8]) -> AnswerOutcome {
        host.respond(to: request.id, value: value.span, at: now)
    }

    /// Refuses a `ReadRequest` that was answered `later`.
    @discardableResult
    public mutating func refuse(_ request: ReadRequest, _ error: ATTErrorCode) -> AnswerOutcome {
        host.refuse(request.id, error, at: now)
    }

    /// Takes the value of a `WriteRequest` that was answered `later`; `gone` if the link is, or the time is over.
    @discardableResult
    public mutating func accept(_ request: WriteRequest) -> AnswerOutcome {
        guard let place = place(of: request.link) else { return .gone }
        let outcome = request.id.map { host.accept($0, at: now) } ?? .taken
        if outcome == .taken { keep(request.value, request.characteristic, connections[place].description.device) }
        return outcome
    }

    /// Refuses a `WriteRequest` that was answered `later`; one that wants no answer is dropped.
    @discardableResult
    public mutating func refuse(_ request: WriteRequest, _ error: ATTErrorCode) -> AnswerOutcome {
        request.id.map { host.refuse($0, error, at: now) } ?? .taken
    }

    /// Keeps what was written.
    mutating func keep(_ value: [UInt8], _ characteristic: Int, _ device: Int) {
        guard tables[device].values.indices.contains(characteristic) else { return }
        tables[device].values[characteristic] = value
    }

    // MARK: - Pairing

    /// The user's answer to `PairingNotice.compare`. False if there is no such question any more.
    @discardableResult
    public mutating func answerComparison(_ link: LinkID, _ isSame: Bool) -> Bool {
        host.answerComparison(link, isSame, at: now)
    }

    /// The user's answer to `PairingNotice.askPasskey`, nil for none. False if there is no such question any more, or
    /// the number has more than six digits.
    @discardableResult
    public mutating func enterPasskey(_ link: LinkID, _ passkey: UInt32?) -> Bool {
        host.enterPasskey(link, passkey, at: now)
    }

    /// For so long, phones may pair that may not otherwise (`Host.openPairingWindow`): a person has pressed a button.
    public mutating func openPairingWindow(for duration: Duration) { host.openPairingWindow(until: now + duration) }

    /// Every bond that is kept.
    public var bonds: [Bond] { host.bonds }

    /// Forgets a bond; links that it protects end.
    public mutating func forget(_ identity: BluetoothAddress) { host.forget(identity, at: now) }

    // MARK: - Further

    /// Lets the device be found, which is how it begins, or not; links stay, and so do the other devices.
    public mutating func setAdvertised(_ isOnAir: Bool) {
        guard sets.indices.contains(device), sets[device].isOnAir != isOnAir else { return }
        sets[device].isOnAir = isOnAir
        host.configure(advertising: sets.filter(\.isOnAir).map(\.set), at: now)
    }

    /// Changes how the device is found: what it advertises, and how often.
    public mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        guard sets.indices.contains(device) else { return }
        sets[device].set.data = data
        sets[device].set.scanResponse = scanResponse
        sets[device].set.interval = interval
        host.configure(advertising: sets.filter(\.isOnAir).map(\.set), at: now)
    }

    /// Does something about another device of the program, counted from 0; nil if there is none of that number.
    public mutating func withDevice<Result>(_ number: Int, _ body: (inout DeviceContext) -> Result) -> Result? {
        guard tables.indices.contains(number) else { return nil }
        let before = device
        device = number
        defer { device = before }
        return body(&self)
    }

    /// Lets all devices be found, which is how a program begins, or none; links stay.
    public mutating func setAdvertising(enabled: Bool) { host.setAdvertising(enabled: enabled, at: now) }

    /// The host itself, for what has no function here: channels, RSSI, other advertising sets. Its events are the
    /// program's, and are not to be taken.
    public mutating func withHost<Result>(_ body: (inout Host, Instant) -> Result) -> Result { body(&host, now) }

    // MARK: - What the program uses

    func place(of link: LinkID) -> Int? { connections.firstIndex { $0.link == link } }
}
