// SPDX-License-Identifier: Apache-2.0

public import Crypto
import MatterCredentials
import MatterInteraction
public import MatterSession
public import MatterTLV
public import Timekeeping
public import WiFi

/// A Matter node: datagrams, BTP messages, results and time go in; effects come out.
///
/// After each call, and at `deadline`, drain `nextEffect` and perform the effects in order. The node reads no clock:
/// `Moment` carries the monotonic time, and the wall clock if the device has one.
public struct MatterNode: Sendable {
    /// The configuration.
    public var configuration: MatterConfiguration { model.configuration }

    /// Changes of the replies; nil for none.
    public var interposer: (any NodeInterposer)? {
        get { model.interposer }
        set {
            model.interposer = newValue
            areFabricsStale = true
        }
    }

    var model: NodeModel
    var server: InteractionServer
    var channel: SecureChannel
    var effects: [MatterEffect] = []
    /// Outputs of the channel and the server that are not handled yet.
    var channelEffects: [ChannelEffect] = []
    var interactionEffects: [InteractionEffect] = []
    /// The peers of the channel's sessions.
    var sessions: [SessionID: Accessor] = [:]
    /// Sessions that end once their last reply has had time to arrive.
    var leaving: [LeavingSession] = []
    /// Links that the node ends unless their commissioners end them.
    var closingLinks: [ClosingLink] = []
    /// Exchanges of reports.
    var reportExchanges: Set<UInt32> = []
    var storage = DocumentStorage()
    /// True if the channel does not have the model's fabrics.
    var areFabricsStale = true
    /// The window for which PASE is answered; nil while PASE is not answered.
    var answeredWindow: [UInt8]?
    var advertised: MatterAdvertisement?
    /// The longest time that the current message may have waited to be read.
    var inputAge = Duration.zero

    /// Creates a node in the state of `document`, or as delivered without a document. It is on its fabrics at once;
    /// without a fabric, it opens a window with the label's code.
    ///
    /// - Parameter document: the octets of the last `persist`.
    /// - Throws: `MatterStateError` if the document is damaged or of an unknown version: the device must not start as
    ///   if it were new.
    public init(
        _ configuration: MatterConfiguration, restoring document: [UInt8]?, random: any RandomSource & Sendable,
        at now: Moment
    ) throws(MatterStateError) {
        var random = random
        var state = NodeState()
        var events = EventBuffer()
        if let document {
            let restored = try NodeState.restore(document)
            state = restored.0
            do throws(TLVError) {
                events = try EventBuffer(restoring: restored.events)
            } catch {
                throw .damaged
            }
        }
        state.rebootCount = state.rebootCount &+ 1
        server = InteractionServer(events: events, firstSubscription: random.number())
        channel = SecureChannel(random: random)
        model = NodeModel(
            configuration, endpoints: NodeModel.endpoints(of: configuration), state: state, random: random, at: now)
        start(at: now)
    }

    private mutating func start(at now: Moment) {
        model.isStateChanged = true
        let version = configuration.product.softwareVersion
        model.record(.root, .basicInformation, 0, at: now.instant) { $0.unsigned(version, as: 0) }
        // Power on.
        model.record(.root, .generalDiagnostics, 3, at: now.instant) { $0.unsigned(UInt8(1), as: 0) }
        if model.state.fabrics.isEmpty { model.openFirstWindow(at: now.instant) } else { model.rejoin() }
        input(now) { _, _ in }
    }

    /// Removes and returns the oldest effect; nil if no effect is pending.
    public mutating func nextEffect() -> MatterEffect? { effects.isEmpty ? nil : effects.removeFirst() }

    /// The time of the next call of `advance` if nothing else happens; nil for none.
    public var deadline: Instant? {
        var deadline = Instant.earlier(model.deadline, .earlier(server.deadline, channel.deadline))
        for session in leaving { deadline = .earlier(deadline, session.due) }
        for link in closingLinks { deadline = .earlier(deadline, link.due) }
        return .earlier(deadline, storage.retryDue)
    }

    // MARK: - Inputs

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Moment) {
        input(now) { node, now in
            node.model.advance(to: now)
            // Subscriptions have to report changes at once.
            node.settle(at: now)
            node.channel.advance(to: now, effects: &node.channelEffects)
            node.server.advance(to: now, effects: &node.interactionEffects)
            node.endLeavingSessions(at: now)
            node.endClosingLinks(at: now)
            node.storage.advance(to: now)
        }
    }

    /// Handles a datagram, or a whole BTP message.
    ///
    /// - Parameter age: the longest time that the message may have waited to be read, as of a process that was stopped.
    ///   The time of a timed interaction begins with the arrival.
    public mutating func receive(
        _ octets: [UInt8], from peer: TransportPeer, at now: Moment, age: Duration = .zero
    ) {
        input(now) { node, now in
            node.inputAge = age
            node.channel.receive(octets, from: peer, at: now, effects: &node.channelEffects)
        }
        inputAge = .zero
    }

    /// Handles the end of a Bluetooth link, which ends its PASE session.
    public mutating func linkLost(_ peer: TransportPeer, at now: Moment) {
        input(now) { node, _ in
            node.closingLinks.removeAll { $0.peer == peer }
            node.channel.linkLost(peer, effects: &node.channelEffects)
        }
    }

    /// Handles the success of `persist`: replies that waited for this document are sent.
    public mutating func stored(_ document: UInt64, at now: Moment) {
        input(now) { node, _ in node.interactionEffects += node.storage.stored(document) }
    }

    /// Handles the failure of `persist`: replies that waited for this document are not sent. The state is written again
    /// with the next change, or after a second.
    public mutating func storingFailed(_ document: UInt64, at now: Moment) {
        input(now) { node, now in
            for effect in node.storage.failed(document, at: now) {
                guard case .send(_, _, let exchange, _) = effect else { continue }
                node.channel.closeExchange(ExchangeID(rawValue: exchange))
            }
            node.model.notice(.storingFailed)
        }
    }

    /// Handles an event of the Wi-Fi station.
    public mutating func receive(_ event: WiFiEvent, at now: Moment) {
        input(now) { node, now in node.model.receive(event, at: now) }
    }

    /// Handles the station's refusal of `scanWiFi` or `joinWiFi`.
    public mutating func receive(_ refusal: WiFiRefusal, at now: Moment) {
        input(now) { node, now in node.model.refuseStation(at: now) }
    }

    /// Handles a manual operation, or the state of an input.
    public mutating func receive(_ operation: MatterOperation, at now: Moment) {
        input(now) { node, now in node.model.receive(operation, at: now) }
    }

    /// Handles the program's answer to `MatterEffect.order`, `openWindow` or `recordPINs`. A late answer has no effect:
    /// the movement is reported by `MatterOperation.locked`.
    public mutating func answer(_ order: UInt32, isDone: Bool, at now: Moment) {
        input(now) { node, now in node.model.answer(order, isDone: isDone, at: now) }
    }

    /// Handles the program's answer to `MatterEffect.aliro`. A late answer has no effect: the keys follow again.
    public mutating func answer(aliro request: UInt32, _ result: AliroResult, at now: Moment) {
        input(now) { node, now in node.model.answer(users: request, result, at: now) }
    }

    /// Requests the updates that give the program's Aliro reader its keys again, as after a lost connection. A change
    /// that waits for an answer is refused. A reader that has lost its private key has no configuration any more: only
    /// an administrator can give it another.
    ///
    /// - Parameter point: of the reader's key; nil if it has none.
    public mutating func provisionReader(holding point: [UInt8]?, at now: Moment) {
        input(now) { node, now in
            if let pending = node.model.lock.pendingUsers { node.model.answer(users: pending.id, .refused, at: now) }
            node.model.lock.provision = nil
            guard let reader = node.model.state.users.reader, reader.verificationKey != point else { return }
            (node.model.state.users.reader, node.model.state.users.readerCreator) = (nil, nil)
            node.model.readerChanged()
        }
    }

    /// Sets the addresses of the interface for General Diagnostics: 4 and 16 octets each.
    public mutating func receive(ipv4: [[UInt8]], ipv6: [[UInt8]], at now: Moment) {
        input(now) { node, _ in
            let addresses = NodeAddresses(ipv4: ipv4, ipv6: ipv6)
            guard node.model.addresses != addresses else { return }
            node.model.addresses = addresses
            node.model.changed(.root, .generalDiagnostics, 0)
        }
    }

    /// Opens a window with the label's code, or restarts its time, as a button does. If an administrator's window is
    /// open, it stays open instead, unless the program decides about windows: the new window then replaces it.
    ///
    /// - Parameter length: the time that it stays open; nil for the configured time.
    public mutating func openWindow(for length: Duration? = nil, at now: Moment) {
        input(now) { node, now in
            if node.configuration.asksForWindows, node.model.window?.kind == .enhanced {
                node.model.closeWindow(.closed)
            }
            guard node.model.window?.kind ?? .label == .label else { return }
            node.model.openLabelWindow(for: length, at: now)
        }
    }

    /// Closes the window of any opener.
    public mutating func closeWindow(because end: WindowEnd = .closed, at now: Moment) {
        input(now) { node, now in
            node.model.answerWindow(isPermitted: false, at: now)
            node.model.closeWindow(end)
        }
    }

    /// Removes all fabrics and settings, ends all sessions, and opens a window with the label's code if so configured.
    public mutating func factoryReset(at now: Moment) {
        input(now) { node, now in node.model.factoryReset(at: now) }
    }

    // MARK: - Questions

    /// The fabrics of the node with their labels, in the order of their indices.
    public var fabrics: [MatterFabric] {
        model.state.fabrics.map {
            MatterFabric(
                index: $0.index, fabric: $0.identity.fabricID, node: $0.identity.nodeID, vendor: $0.vendor,
                label: $0.label)
        }
    }

    /// The kind of the open window; nil if none is open.
    public var window: WindowKind? { model.window?.kind }

    /// The number of the open window, 8 octets, different for each window; nil if none is open.
    public var windowID: [UInt8]? { model.window?.instance }

    /// True while the fail-safe is armed.
    public var isFailSafeArmed: Bool { model.failSafe != nil }

    /// The state of the lock, if the device is one and its state is known.
    public var lockState: LockState? {
        guard case .lock = configuration.device else { return nil }
        return model.lock.state
    }

    /// True for a lock with an Aliro reader that Matter provisions.
    public var hasAliro: Bool { model.lock.traits.hasAliro }

    /// True for a lock whose orders come with PINs.
    public var hasPINs: Bool { model.lock.traits.hasPINs }

    /// The number of stored PINs that no order needs: the lock has started without PINs.
    public var unusedPINs: Int { hasPINs ? 0 : model.state.users.credentials.count { $0.kind == .pin } }

    /// True if the load is on.
    public var isOn: Bool { model.load.isOn }

    // MARK: - Processing

    /// Performs `body`, then everything that follows from it.
    mutating func input(_ now: Moment, _ body: (inout MatterNode, Instant) -> Void) {
        model.setClock(now.epochSeconds)
        channel.lastKnownGoodTime = MatterTime(unixTime: model.lastKnownGoodTime)
        body(&self, now.instant)
        settle(at: now.instant)
    }
}

/// A fabric of the node.
public struct MatterFabric: Equatable, Sendable {
    /// Its index in the node's table.
    public let index: FabricIndex
    /// Its identifier.
    public let fabric: FabricID
    /// The node's identifier on it.
    public let node: NodeID
    /// The administrator's vendor.
    public let vendor: VendorID
    /// The administrator's name for it.
    public let label: String
}

extension RandomSource {
    /// A random number of 32 bits.
    mutating func number() -> UInt32 { octets(4).reduce(0) { $0 << 8 | UInt32($1) } }
}
