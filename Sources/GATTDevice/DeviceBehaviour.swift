import Peripheral
import Timekeeping

/// What a device does by itself: it answers writes, and notifies values in their rhythm.
struct DeviceBehaviour {
    /// Notices that nobody takes are dropped beyond this, oldest first: they are for watching only.
    static let waitingNotices = 4096

    /// A rhythm while it runs.
    private struct Beat {
        /// The next notification; nil while nobody has subscribed.
        var due: Instant?
        /// Which of the values is the next one.
        var next = 0
    }

    private let types: [AttributeHandle: BluetoothUUID]
    private let reactions: [AttributeHandle: DeviceTable.Reaction]
    private let rhythms: [DeviceTable.Rhythm]
    private var beats: [Beat]
    private var subscribers: [AttributeHandle: [LinkID]] = [:]
    private var notices: [DeviceNotice] = []
    private var head = 0

    init(_ table: DeviceTable) {
        types = table.types
        reactions = table.reactions
        rhythms = table.rhythms
        beats = table.rhythms.map { _ in Beat() }
    }

    mutating func nextNotice() -> DeviceNotice? {
        guard head < notices.count else { return nil }
        defer {
            head += 1
            if head == notices.count {
                notices.removeAll(keepingCapacity: true)
                head = 0
            }
        }
        return notices[head]
    }

    var nextDeadline: Instant? { beats.compactMap(\.due).min() }

    mutating func receive(_ event: HostEvent, _ host: inout Host, at now: Instant) {
        switch event {
        case .ready(let controller): tell(.ready(controller))
        case .controllerFailed(let fault): tell(.controllerFailed(fault))
        case .connected(let link, let description): tell(.connected(link, peer: description.peer))
        case .disconnected(let link, let reason):
            for handle in Array(subscribers.keys) { unsubscribe(link, handle) }
            tell(.disconnected(link, reason: reason))
        case .mtuExchanged(let link, let mtu): tell(.mtuExchanged(link, mtu))
        case .written(let link, let handle, let range):
            let octets = Array(host.eventOctets[range])
            tell(.written(link, DeviceValue(handle: handle, type: type(handle), octets: octets)))
            if let reaction = reactions[handle] { react(reaction, octets, link, &host, at: now) }
        case .subscribed(let link, let handle, let configuration):
            tell(.subscribed(link, handle, type(handle), configuration))
            unsubscribe(link, handle)
            if configuration.contains(.notification) { subscribe(link, handle, at: now) }
        case .intervalChanged, .rssi, .writable: break
        case .channelOpened, .channelReceived, .channelWritable, .channelReconfigured, .channelClosed: break
        }
    }

    /// Notifies what is due. A beat that was missed is not made up for.
    mutating func advance(to now: Instant, _ host: inout Host) {
        for index in beats.indices {
            guard let due = beats[index].due, due <= now else { continue }
            let rhythm = rhythms[index]
            let octets = rhythm.values[beats[index].next % rhythm.values.count]
            beats[index].next = (beats[index].next + 1) % rhythm.values.count
            let following = due + rhythm.every
            beats[index].due = following > now ? following : now + rhythm.every
            if rhythm.isStored { change(rhythm.value, to: octets, &host) }
            for link in subscribers[rhythm.value] ?? [] { notify(link, rhythm.value, octets, &host, at: now) }
        }
    }

    private func type(_ handle: AttributeHandle) -> BluetoothUUID { types[handle] ?? BluetoothUUID(0) }

    private mutating func tell(_ notice: DeviceNotice) {
        if notices.count - head >= DeviceBehaviour.waitingNotices {
            head += 1
            if head > DeviceBehaviour.waitingNotices {
                notices.removeFirst(head)
                head = 0
            }
        }
        notices.append(notice)
    }

    private mutating func subscribe(_ link: LinkID, _ handle: AttributeHandle, at now: Instant) {
        subscribers[handle, default: []].append(link)
        for index in rhythms.indices where rhythms[index].value == handle && beats[index].due == nil {
            beats[index].due = now + rhythms[index].every
        }
    }

    private mutating func unsubscribe(_ link: LinkID, _ handle: AttributeHandle) {
        subscribers[handle]?.removeAll { $0 == link }
        guard subscribers[handle]?.isEmpty != false else { return }
        subscribers[handle] = nil
        for index in rhythms.indices where rhythms[index].value == handle { beats[index].due = nil }
    }

    private mutating func react(
        _ reaction: DeviceTable.Reaction, _ octets: [UInt8], _ writer: LinkID, _ host: inout Host, at now: Instant
    ) {
        if reaction.changesTarget { change(reaction.target, to: octets, &host) }
        switch reaction.audience {
        case .echo: notify(writer, reaction.target, octets, &host, at: now)
        case .notify:
            for link in subscribers[reaction.target] ?? [] { notify(link, reaction.target, octets, &host, at: now) }
        }
    }

    /// A value that is longer than its attribute takes is cut, as a client would see it cut in a notification.
    private func change(_ handle: AttributeHandle, to octets: [UInt8], _ host: inout Host) {
        do throws(AttributeValueError) {
            try host.setValue(octets.span, of: handle)
        } catch .tooLong(let maximum) {
            try? host.setValue(octets.span.extracting(0..<min(maximum, octets.count)), of: handle)
        } catch {
            // The table has been made so that the value is there, and stored.
        }
    }

    /// Of a longer value the first ATT_MTU − 3 octets are sent (Core 5.4, Vol 3, Part G, 4.10.1).
    private mutating func notify(
        _ link: LinkID, _ handle: AttributeHandle, _ octets: [UInt8], _ host: inout Host, at now: Instant
    ) {
        let sent = Array(octets.prefix(max(0, host.attMTU(link) - 3)))
        let outcome = host.notify(link, handle, sent.span, at: now)
        if outcome == .accepted {
            tell(.notified(link, DeviceValue(handle: handle, type: type(handle), octets: sent)))
        } else {
            tell(.leftOut(link, handle, type(handle), outcome))
        }
    }
}
