// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The automatic behaviour of a device: reactions to writes, and periodic values.
struct DeviceBehaviour {
    /// A running timer of a periodic value.
    private struct Beat {
        /// The next time; nil while no client has subscribed.
        var due: Instant?
        /// The index of the next value.
        var next = 0
    }

    /// A client that has subscribed to a value.
    private struct Subscriber {
        var link: LinkID
        /// True if the client receives indications; a client that has configured both gets notifications, which need no
        /// confirmation.
        var isIndicated: Bool
    }

    private var types: [AttributeHandle: BluetoothUUID]
    private var reactions: [AttributeHandle: DeviceTable.Reaction]
    private var rhythms: [DeviceTable.Rhythm]
    private var beats: [Beat]
    private var subscribers: [AttributeHandle: [Subscriber]] = [:]
    /// Values held here instead of in the server, so that reads are reported.
    private var dynamicValues: [AttributeHandle: DeviceTable.DynamicValue]

    /// The index among the host's devices.
    private let device: Int

    init(_ table: DeviceTable, device: Int) {
        self.device = device
        types = table.types
        reactions = table.reactions
        rhythms = table.rhythms
        beats = table.rhythms.map { _ in Beat() }
        dynamicValues = table.dynamicValues
    }

    var nextDeadline: Instant? { beats.compactMap(\.due).min() }

    /// Continues as another device. Subscriptions are retained for a characteristic with the same handle and type, as
    /// the host retains them; it reports the others as ended.
    mutating func replace(with table: DeviceTable, at now: Instant) {
        let former = self
        self = DeviceBehaviour(table, device: device)
        subscribers = former.subscribers.filter { former.types[$0.key] == types[$0.key] }
        for index in rhythms.indices where subscribers[rhythms[index].value] != nil {
            beats[index].due = now + rhythms[index].every
        }
    }

    /// Reports a request that the server has refused.
    func refused(_ link: LinkID, _ request: RefusedRequest, _ notices: inout DeviceNotices) {
        notices.report(.refused(link, request, types[request.handle]))
    }

    /// Removes the subscriptions of a link that has ended.
    mutating func ended(_ link: LinkID) {
        for handle in Array(subscribers.keys) { unsubscribe(link, handle) }
    }

    /// Handles a value written by a client.
    mutating func written(
        _ link: LinkID, _ handle: AttributeHandle, _ octets: [UInt8], _ host: inout Host,
        _ notices: inout DeviceNotices,
        at now: Instant
    ) {
        dynamicValues[handle]?.set(octets)
        notices.report(.written(link, value(handle, octets)))
        if let reaction = reactions[handle] { react(reaction, octets, link, &host, &notices, at: now) }
    }

    /// Handles a client's configuration of a value.
    mutating func subscribed(
        _ link: LinkID, _ handle: AttributeHandle, _ configuration: ClientConfiguration,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        notices.report(.subscribed(link, handle, type(handle), configuration))
        unsubscribe(link, handle)
        guard !configuration.isDisjoint(with: [.notification, .indication]) else { return }
        subscribers[handle, default: []].append(
            Subscriber(link: link, isIndicated: !configuration.contains(.notification)))
        for index in rhythms.indices where rhythms[index].value == handle && beats[index].due == nil {
            beats[index].due = now + rhythms[index].every
        }
    }

    /// Reports a client's confirmation of an indication.
    func confirmed(_ link: LinkID, _ handle: AttributeHandle, _ notices: inout DeviceNotices) {
        notices.report(.confirmed(link, handle, type(handle)))
    }

    /// Sends the values due at `now`. Missed periods are skipped.
    mutating func advance(to now: Instant, _ host: inout Host, _ notices: inout DeviceNotices) {
        for index in beats.indices {
            guard let due = beats[index].due, due <= now else { continue }
            let rhythm = rhythms[index]
            let octets = rhythm.values[beats[index].next % rhythm.values.count]
            beats[index].next = (beats[index].next + 1) % rhythm.values.count
            let following = due + rhythm.every
            beats[index].due = following > now ? following : now + rhythm.every
            change(rhythm.value, to: octets, &host)
            for subscriber in subscribers[rhythm.value] ?? [] {
                send(rhythm.value, octets, to: subscriber, &host, &notices, at: now)
            }
        }
    }

    // MARK: - Values held here

    /// Answers a read. The parts of a long read are reported as one.
    func read(
        _ request: AttributeRequestID, _ handle: AttributeHandle, offset: Int, _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        guard let held = dynamicValues[handle] else {
            _ = host.refuse(request, .unlikelyError, at: now)
            return
        }
        if offset == 0 { notices.report(.read(request.link, value(handle, held.octets))) }
        _ = host.respond(to: request, value: held.octets.span, at: now)
    }

    /// Answers a write request, and performs the reaction to it.
    mutating func write(
        _ request: AttributeRequestID, _ handle: AttributeHandle, _ octets: [UInt8], _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        guard let held = dynamicValues[handle] else {
            _ = host.refuse(request, .unlikelyError, at: now)
            return
        }
        guard octets.count <= held.maximumCount else {
            _ = host.refuse(request, .invalidAttributeValueLength, at: now)
            return refused(
                request.link,
                RefusedRequest(opcode: .writeRequest, handle: handle, error: .invalidAttributeValueLength), &notices)
        }
        _ = host.accept(request, at: now)
        written(request.link, handle, octets, &host, &notices, at: now)
    }

    // MARK: -

    private func type(_ handle: AttributeHandle) -> BluetoothUUID { types[handle] ?? BluetoothUUID(0) }

    private func value(_ handle: AttributeHandle, _ octets: [UInt8]) -> DeviceValue {
        DeviceValue(handle: handle, type: type(handle), octets: octets)
    }

    private mutating func unsubscribe(_ link: LinkID, _ handle: AttributeHandle) {
        subscribers[handle]?.removeAll { $0.link == link }
        guard subscribers[handle]?.isEmpty != false else { return }
        subscribers[handle] = nil
        for index in rhythms.indices where rhythms[index].value == handle { beats[index].due = nil }
    }

    private mutating func react(
        _ reaction: DeviceTable.Reaction, _ octets: [UInt8], _ writer: LinkID, _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        if reaction.changesTarget { change(reaction.target, to: octets, &host) }
        let all = subscribers[reaction.target] ?? []
        switch reaction.audience {
        case .echo:
            let wanted = all.first { $0.link == writer } ?? Subscriber(link: writer, isIndicated: false)
            send(reaction.target, octets, to: wanted, &host, &notices, at: now)
        case .notify:
            for subscriber in all { send(reaction.target, octets, to: subscriber, &host, &notices, at: now) }
        }
    }

    /// Changes a value. Truncates a value that is longer than its attribute allows, as a notification would.
    private mutating func change(_ handle: AttributeHandle, to octets: [UInt8], _ host: inout Host) {
        if dynamicValues[handle] != nil {
            dynamicValues[handle]?.set(octets)
            return
        }
        do throws(AttributeValueError) {
            try host.setValue(octets.span, of: handle, device: device)
        } catch .tooLong(let maximum) {
            try? host.setValue(octets.span.extracting(0..<min(maximum, octets.count)), of: handle, device: device)
        } catch {
            // The table is built so that the value exists and is stored by the server.
        }
    }

    /// Sends a value; of a longer one, the first ATT_MTU − 3 octets (Core 5.4, Vol 3, Part G, 4.10.1 and 4.11.1).
    private func send(
        _ handle: AttributeHandle, _ octets: [UInt8], to subscriber: Subscriber, _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        let link = subscriber.link
        let sent = Array(octets.prefix(max(0, host.attMTU(link) - 3)))
        let outcome =
            subscriber.isIndicated
            ? host.indicate(link, handle, sent.span, at: now) : host.notify(link, handle, sent.span, at: now)
        guard outcome == .accepted else { return notices.report(.leftOut(link, handle, type(handle), outcome)) }
        notices.report(
            subscriber.isIndicated ? .indicated(link, value(handle, sent)) : .notified(link, value(handle, sent)))
    }
}
