// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// Operations available to a handler.
///
/// They concern one device, the one whose handler is called: links and characteristics are that device's. Values sent
/// to a link that has ended, or that belongs to another device, are discarded. Valid for the duration of the call.
public struct DeviceContext: ~Copyable {
    /// The time of the input being handled.
    public internal(set) var now = Instant.origin
    /// The index of the device in the program, counted from 0.
    public internal(set) var device = 0

    /// A link of any device, with its client's subscriptions and its queued values.
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
    /// The advertising set of each device; `isOnAir` if the program advertises it.
    var sets: [(set: AdvertisingSet, isOnAir: Bool)] = []
    /// The reason why a link ended, during its `onDisconnect`; nil in all other handlers.
    public internal(set) var disconnectReason: HCIStatus?
    /// Links whose queue has become empty and whose `onDrained` has not been called yet.
    var drainedLinks: [LinkID] = []

    init(_ host: consuming Host, _ tables: [CharacteristicTable]) {
        self.host = host
        self.tables = tables
    }

    // MARK: - Links

    /// The device's links.
    public var links: [LinkID] { connections.filter { $0.description.device == device }.map(\.link) }

    /// The description of a link at its establishment; nil if the link has ended.
    public func description(of link: LinkID) -> LinkDescription? { place(of: link).map { connections[$0].description } }

    /// The current security level of a link; the lowest if the link has ended.
    public func securityLevel(_ link: LinkID) -> LinkSecurityLevel { host.securityLevel(link) }

    /// The identity of the bonded peer, once the link is encrypted with the key of its bond.
    public func provenPeer(_ link: LinkID) -> BluetoothAddress? { host.provenPeer(link) }

    /// Ends a link; `onDisconnect` follows.
    public mutating func disconnect(_ link: LinkID, reason: HCIStatus = .remoteUserTerminated) {
        guard place(of: link) != nil else { return }
        host.disconnect(link, reason: reason, at: now)
    }

    // MARK: - Values

    /// Sets the value that clients read, without a notification.
    ///
    /// - Throws: `AttributeValueError` for a value longer than the characteristic's maximum, and for a characteristic
    ///   that can be neither read nor written.
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

    /// Answers a `ReadRequest` whose handler returned `later`.
    ///
    /// - Returns: `gone` if the link has ended or the time to answer has passed, `tooLong` above 512 octets.
    @discardableResult
    public mutating func answer(_ request: ReadRequest, _ value: [UInt8]) -> AnswerOutcome {
        host.respond(to: request.id, value: value.span, at: now)
    }

    /// Refuses a `ReadRequest` whose handler returned `later`.
    @discardableResult
    public mutating func refuse(_ request: ReadRequest, _ error: ATTErrorCode) -> AnswerOutcome {
        host.refuse(request.id, error, at: now)
    }

    /// Accepts the value of a `WriteRequest` whose handler returned `later`.
    ///
    /// - Returns: `gone` if the link has ended or the time to answer has passed.
    @discardableResult
    public mutating func accept(_ request: WriteRequest) -> AnswerOutcome {
        guard let place = place(of: request.link) else { return .gone }
        let outcome = request.id.map { host.accept($0, at: now) } ?? .taken
        if outcome == .taken { keep(request.value, request.characteristic, connections[place].description.device) }
        return outcome
    }

    /// Refuses a `WriteRequest` whose handler returned `later`; a Write Command is discarded.
    @discardableResult
    public mutating func refuse(_ request: WriteRequest, _ error: ATTErrorCode) -> AnswerOutcome {
        request.id.map { host.refuse($0, error, at: now) } ?? .taken
    }

    /// Stores a written value for clients to read.
    mutating func keep(_ value: [UInt8], _ characteristic: Int, _ device: Int) {
        guard tables[device].values.indices.contains(characteristic) else { return }
        tables[device].values[characteristic] = value
    }

    // MARK: - Pairing

    /// Gives the user's answer to `PairingNotice.compare`.
    ///
    /// - Returns: false if no comparison is pending.
    @discardableResult
    public mutating func answerComparison(_ link: LinkID, _ isSame: Bool) -> Bool {
        host.answerComparison(link, isSame, at: now)
    }

    /// Answers `PairingNotice.askPasskey` with the user's passkey; nil if the user gives none.
    ///
    /// - Returns: false if no passkey is requested, or the number has more than six digits.
    @discardableResult
    public mutating func enterPasskey(_ link: LinkID, _ passkey: UInt32?) -> Bool {
        host.enterPasskey(link, passkey, at: now)
    }

    /// Admits pairings that are otherwise refused for `duration` (`Host.openPairingWindow`): a user pressed a button.
    public mutating func openPairingWindow(for duration: Duration) { host.openPairingWindow(until: now + duration) }

    /// All stored bonds.
    public var bonds: [Bond] { host.bonds }

    /// Removes a bond, and ends the links that it protects.
    public mutating func forget(_ identity: BluetoothAddress) { host.forget(identity, at: now) }

    // MARK: - Further

    /// Starts or stops advertising of this device; links and other devices are not affected. Advertising is on at
    /// first.
    public mutating func setAdvertised(_ isOnAir: Bool) {
        guard sets.indices.contains(device), sets[device].isOnAir != isOnAir else { return }
        sets[device].isOnAir = isOnAir
        host.configure(advertising: sets.filter(\.isOnAir).map(\.set), at: now)
    }

    /// True if the program advertises any device. `HostEvent.advertising` reports whether the controller does it.
    public var advertisesAny: Bool { sets.contains { $0.isOnAir } }

    /// Replaces the device's advertising data, scan response and advertising interval.
    public mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        guard sets.indices.contains(device) else { return }
        sets[device].set.data = data
        sets[device].set.scanResponse = scanResponse
        sets[device].set.interval = interval
        host.configure(advertising: sets.filter(\.isOnAir).map(\.set), at: now)
    }

    /// Calls `body` with the context of another device of the program, counted from 0.
    ///
    /// - Returns: the result of `body`; nil if there is no such device.
    public mutating func withDevice<Result>(_ number: Int, _ body: (inout DeviceContext) -> Result) -> Result? {
        guard tables.indices.contains(number) else { return nil }
        let before = device
        device = number
        defer { device = before }
        return body(&self)
    }

    /// Starts or stops advertising of all devices; links are not affected. Advertising is on at first.
    public mutating func setAdvertising(enabled: Bool) { host.setAdvertising(enabled: enabled, at: now) }

    /// Gives access to the host, for operations that have no function here: channels, RSSI, other advertising sets.
    /// Its events belong to the program and must not be taken.
    public mutating func withHost<Result>(_ body: (inout Host, Instant) -> Result) -> Result { body(&host, now) }

    // MARK: - Internal to the program

    func place(of link: LinkID) -> Int? { connections.firstIndex { $0.link == link } }
}
