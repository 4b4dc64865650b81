public import Peripheral
public import Timekeeping

/// A provisioning device on a `Host`: takes the events of its links, and does what has to be done.
///
/// The host may have other devices and other services; their events are not taken. Whoever owns the host gives it the
/// device's `advertisement`, and keeps what `settle` gives. A device that misbehaves is made on `NordicProvisioning`, whose
/// actions can be done otherwise, or later.
///
/// ```swift
/// let (served, service) = try NordicService.device(named: name, profile: .exact, advertisingSets: [0])
/// var device = NordicPeripheral(NordicProvisioning(settings), service, device: 0)
/// device.start(&wifi, at: now)
/// while let event = host.nextEvent() {
///     if device.take(event, &host, &wifi, at: now) {
///         for networks in device.settle(&host, at: now) { … }
///     }
/// }
/// ```
public struct NordicPeripheral: Sendable {
    /// What it does.
    public private(set) var provisioning: NordicProvisioning
    /// Its attributes.
    public let service: NordicService
    /// Which of the host's devices it is.
    public let device: Int
    /// How it is to be found; nil while it is not to be.
    public private(set) var advertisement: NordicAdvertisement?

    private var answers: [Answer] = []
    private var notices: [NordicNotice] = []
    private var waiting: [NordicMessage] = []

    /// What a client's request is answered with, once all is sent that it brought about.
    private enum Answer {
        case value(AttributeRequestID, [UInt8])
        case accepted(AttributeRequestID)
    }

    /// How many values wait for room: more than any scan finds. Whoever does not take them loses them.
    static let mostWaiting = 1024

    /// A device with these attributes, as the host's device of this number.
    public init(_ provisioning: NordicProvisioning, _ service: NordicService, device: Int = 0) {
        self.provisioning = provisioning
        self.service = service
        self.device = device
    }

    /// The device is switched on.
    public mutating func start(_ wifi: inout some WiFiStation, at now: Instant) { provisioning.start(&wifi, at: now) }

    /// When to call `advance` if nothing else happens; nil if it waits for nothing.
    public func deadline(_ wifi: some WiFiStation) -> Instant? { provisioning.deadline(wifi) }

    /// Does what is due.
    public mutating func advance(_ wifi: inout some WiFiStation, to now: Instant) {
        provisioning.advance(&wifi, to: now)
    }

    // MARK: - The host's events

    /// Takes an event of the host. False, and nothing happens, if it is none of this device's.
    public mutating func take(
        _ event: HostEvent, _ host: inout Host, _ wifi: inout some WiFiStation, at now: Instant
    ) -> Bool {
        switch event {
        case .connected(let link, let description):
            guard description.device == device else { return false }
            provisioning.connected(link, &wifi, at: now)
            return true
        case .disconnected(let link, _):
            guard provisioning.links.contains(link) else { return false }
            waiting.removeAll { $0.link == link }
            provisioning.disconnected(link, &wifi, at: now)
            return true
        case .pairingFailed(let link, _):
            guard provisioning.links.contains(link) else { return false }
            provisioning.pairingFailed(link)
            return true
        case .readRequested(let request, let handle, _):
            guard isOwn(request.link, handle) == .information else { return false }
            let value = provisioning.readInformation(from: request.link)
            answers.append(.value(request, value))
            return true
        case .writeRequested(let request, let handle, let range):
            guard isOwn(request.link, handle) == .controlPoint else { return false }
            let octets = Array(host.eventOctets[range])
            provisioning.write(octets.span, from: request.link, &wifi, at: now)
            answers.append(.accepted(request))
            return true
        case .subscribed(let link, let handle, let configuration):
            guard let characteristic = isOwn(link, handle) else { return false }
            note(.subscribed(link, characteristic, configuration))
            return true
        case .confirmed(let link, let handle):
            guard isOwn(link, handle) == .controlPoint else { return false }
            note(.confirmed(link))
            sendWaiting(on: link, &host, at: now)
            return true
        case .writable(let link):
            guard provisioning.links.contains(link) else { return false }
            sendWaiting(on: link, &host, at: now)
            return true
        default:
            return false
        }
    }

    private func isOwn(_ link: LinkID, _ handle: AttributeHandle) -> NordicCharacteristic? {
        provisioning.links.contains(link) ? service.characteristic(handle) : nil
    }

    // MARK: - What comes of them

    /// The next thing that happened; nil if there is none.
    public mutating func nextNotice() -> NordicNotice? {
        collectNotices()
        return notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Keeps what both have to tell in its order.
    private mutating func note(_ notice: NordicNotice) {
        collectNotices()
        notices.append(notice)
    }

    private mutating func collectNotices() {
        while let notice = provisioning.nextNotice() { notices.append(notice) }
        if notices.count > NordicProvisioning.mostNotices {
            notices.removeFirst(notices.count - NordicProvisioning.mostNotices)
        }
    }

    /// Does all that is to be done, as far as the host can. What to advertise is in `advertisement` then, for the one who owns
    /// the host.
    ///
    /// - Returns: the networks to keep where they outlast the power, with mode 0600, the newest last.
    public mutating func settle(_ host: inout Host, at now: Instant) -> [StoredNetworks] {
        var stored: [StoredNetworks] = []
        while let action = provisioning.nextAction() {
            switch action {
            case .send(let message): send(message, &host, at: now)
            case .advertise(let advertisement): self.advertisement = advertisement
            case .stopAdvertising: advertisement = nil
            case .disconnect(let link, let reason): host.disconnect(link, reason: reason, at: now)
            case .store(let networks): stored.append(networks)
            }
        }
        // The indication goes before the answer to the write, as in the firmware.
        for answer in answers {
            switch answer {
            case .value(let request, let octets): _ = host.respond(to: request, value: octets.span, at: now)
            case .accepted(let request): _ = host.accept(request, at: now)
            }
        }
        answers.removeAll(keepingCapacity: true)
        return stored
    }

    /// Sends a value, behind what waits for room on its link.
    private mutating func send(_ message: NordicMessage, _ host: inout Host, at now: Instant) {
        let isBehind = waiting.contains {
            $0.link == message.link && $0.characteristic == message.characteristic
        }
        if isBehind || !trySend(message, &host, at: now) { wait(message) }
    }

    /// False if there is no room now.
    private mutating func trySend(_ message: NordicMessage, _ host: inout Host, at now: Instant) -> Bool {
        let handle = service.handle(message.characteristic)
        var message = message
        let limit = host.attMTU(message.link) - 3
        if message.octets.count > limit {
            note(.notSent(message, .tooLong(limit: limit)))
            guard let shorter = message.fitting(limit) else { return true }
            message = shorter
        }
        let outcome =
            message.isIndication
            ? host.indicate(message.link, handle, message.octets.span, at: now)
            : host.notify(message.link, handle, message.octets.span, at: now)
        switch outcome {
        case .accepted: note(.sent(message))
        case .busy: return false
        case .notSubscribed: note(.notSent(message, .notSubscribed))
        case .gone: note(.notSent(message, .gone))
        case .tooLong: note(.notSent(message, .tooLong(limit: limit)))
        }
        return true
    }

    private mutating func wait(_ message: NordicMessage) {
        if message.isIndication, !provisioning.settings.profile.queuesIndications {
            return note(.notSent(message, .notConfirmed))
        }
        guard waiting.count < NordicPeripheral.mostWaiting else { return note(.notSent(message, .gone)) }
        waiting.append(message)
    }

    private mutating func sendWaiting(on link: LinkID, _ host: inout Host, at now: Instant) {
        var blocked: [NordicCharacteristic] = []
        var rest: [NordicMessage] = []
        for message in waiting {
            if message.link != link || blocked.contains(message.characteristic) {
                rest.append(message)
            } else if !trySend(message, &host, at: now) {
                blocked.append(message.characteristic)
                rest.append(message)
            }
        }
        waiting = rest
    }
}
