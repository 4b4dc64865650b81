// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Peripheral
public import Timekeeping
public import WiFiStation

/// A provisioning device on a `Host`: handles the events of its links, and performs the resulting actions.
///
/// The host may have other devices and services; their events are left to others. The owner of the host advertises
/// the device's `advertisement`, and stores the networks that `settle` returns. A misbehaving device is built on
/// `NordicProvisioning`, whose actions can be changed or delayed.
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
    /// The protocol of the device.
    public private(set) var provisioning: NordicProvisioning
    /// The attributes of the service.
    public let service: NordicService
    /// The index among the host's devices.
    public let device: Int
    /// The current advertising; nil while advertising is stopped.
    public private(set) var advertisement: NordicAdvertisement?

    private var answers: [Answer] = []
    private var notices: [NordicNotice] = []
    private var waiting: [NordicMessage] = []

    /// The answer to a client's request, given after all resulting values have been sent.
    private enum Answer {
        case value(AttributeRequestID, [UInt8])
        case accepted(AttributeRequestID)
    }

    /// The maximum number of queued messages: more than any scan finds. Further ones are discarded.
    static let mostWaiting = 1024

    /// A device with these attributes, at this index among the host's devices.
    public init(_ provisioning: NordicProvisioning, _ service: NordicService, device: Int = 0) {
        self.provisioning = provisioning
        self.service = service
        self.device = device
    }

    /// Switches the device on.
    public mutating func start(_ wifi: inout some WiFiStation, at now: Instant) { provisioning.start(&wifi, at: now) }

    /// The time of the next call of `advance` if nothing else happens; nil for none.
    public func deadline(_ wifi: some WiFiStation) -> Instant? { provisioning.deadline(wifi) }

    /// Performs the actions due at `now`.
    public mutating func advance(_ wifi: inout some WiFiStation, to now: Instant) {
        provisioning.advance(&wifi, to: now)
    }

    // MARK: - Events of the host

    /// Handles an event of the host; false, without effect, if it concerns another device.
    public mutating func receive(
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
            // They may have a passphrase.
            var octets = Array(host.eventOctets[range])
            defer { wipeSecret(&octets) }
            provisioning.write(octets.span, from: request.link, &wifi, at: now)
            answers.append(.accepted(request))
            return true
        case .subscribed(let link, let handle, let configuration):
            guard let characteristic = isOwn(link, handle) else { return false }
            report(.subscribed(link, characteristic, configuration))
            return true
        case .confirmed(let link, let handle):
            guard isOwn(link, handle) == .controlPoint else { return false }
            report(.confirmed(link))
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

    // MARK: - Results

    /// Removes and returns the next notice; nil if no notice is pending.
    public mutating func nextNotice() -> NordicNotice? {
        collectNotices()
        return notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Adds a notice after the pending notices of the protocol.
    private mutating func report(_ notice: NordicNotice) {
        collectNotices()
        notices.append(notice)
    }

    private mutating func collectNotices() {
        while let notice = provisioning.nextNotice() { notices.append(notice) }
        if notices.count > NordicProvisioning.mostNotices {
            notices.removeFirst(notices.count - NordicProvisioning.mostNotices)
        }
    }

    /// Performs the pending actions; messages for which the host has no room stay queued. `advertisement` is up to date
    /// afterwards.
    ///
    /// - Returns: the networks to store in non-volatile memory, with mode 0600, the newest last.
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
        // The indication precedes the response to the write, as in the firmware.
        for answer in answers {
            switch answer {
            case .value(let request, let octets): _ = host.respond(to: request, value: octets.span, at: now)
            case .accepted(let request): _ = host.accept(request, at: now)
            }
        }
        answers.removeAll(keepingCapacity: true)
        return stored
    }

    /// Sends a message, after those queued on its link.
    private mutating func send(_ message: NordicMessage, _ host: inout Host, at now: Instant) {
        let isBehind = waiting.contains {
            $0.link == message.link && $0.characteristic == message.characteristic
        }
        if isBehind || !trySend(message, &host, at: now) { wait(message) }
    }

    /// Sends a message; false if there is no room now.
    private mutating func trySend(_ message: NordicMessage, _ host: inout Host, at now: Instant) -> Bool {
        let handle = service.handle(message.characteristic)
        var message = message
        let limit = host.attMTU(message.link) - 3
        if message.octets.count > limit {
            report(.notSent(message, .tooLong(limit: limit)))
            guard let shorter = message.fitting(limit) else { return true }
            message = shorter
        }
        let outcome =
            message.isIndication
            ? host.indicate(message.link, handle, message.octets.span, at: now)
            : host.notify(message.link, handle, message.octets.span, at: now)
        switch outcome {
        case .accepted: report(.sent(message))
        case .busy: return false
        case .notSubscribed: report(.notSent(message, .notSubscribed))
        case .gone: report(.notSent(message, .gone))
        case .tooLong: report(.notSent(message, .tooLong(limit: limit)))
        }
        return true
    }

    private mutating func wait(_ message: NordicMessage) {
        if message.isIndication, !provisioning.settings.profile.queuesIndications {
            return report(.notSent(message, .notConfirmed))
        }
        guard waiting.count < NordicPeripheral.mostWaiting else { return report(.notSent(message, .gone)) }
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
