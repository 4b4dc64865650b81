// SPDX-License-Identifier: Apache-2.0

import Emulation
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
        /// True if a client has switched the periodic value off.
        var isStopped = false
    }

    /// A client that has subscribed to a value.
    struct Subscriber {
        var link: LinkID
        /// True if the client receives indications; a client that has configured both gets notifications, which need no
        /// confirmation.
        var isIndicated: Bool
    }

    private var types: [AttributeHandle: BluetoothUUID]
    private var reactions: [AttributeHandle: DeviceTable.Reaction]
    private var answers: [AttributeHandle: [[UInt8]: [UInt8]]]
    /// The number of a link's reads of a value.
    private var reads: [LinkID: [AttributeHandle: Int]] = [:]
    private var accesses: [AttributeHandle: CharacteristicProperties]
    private var rhythms: [DeviceTable.Rhythm]
    private var beats: [Beat]
    private(set) var subscribers: [AttributeHandle: [Subscriber]] = [:]
    /// The behaviour of a profile; nil for a device from a file.
    var logic: (any ProfileLogic)?
    /// The values of procedures that are still to be sent, in their order.
    var procedures: [ProcedureValue] = []
    /// Values held here instead of in the server, so that reads are reported.
    private(set) var dynamicValues: [AttributeHandle: DeviceTable.DynamicValue]

    /// The index among the host's devices.
    let device: Int
    let faults: DeviceFaults
    /// The ATT_MTU that the device offers.
    let mtu: Int
    /// The next time of a storm of values; nil for none.
    private var nextStorm: Instant?

    init(_ table: DeviceTable, device: Int, _ faults: DeviceFaults) {
        self.device = device
        self.faults = faults
        mtu = table.mtu
        types = table.types
        reactions = table.reactions
        answers = table.answers
        accesses = table.accesses
        rhythms = table.rhythms
        beats = table.rhythms.map { _ in Beat() }
        dynamicValues = table.dynamicValues
        logic = table.logic
    }

    var nextDeadline: Instant? {
        Instant.earlier(Instant.earlier(nextStorm, beats.compactMap(\.due).min()), procedures.map(\.due).min())
    }

    /// Continues as another device. Subscriptions are retained for a characteristic with the same handle and type, as
    /// the host retains them; it reports the others as ended.
    mutating func replace(with table: DeviceTable, at now: Instant) {
        let former = self
        self = DeviceBehaviour(table, device: device, faults)
        nextStorm = former.nextStorm
        subscribers = former.subscribers.filter { former.types[$0.key] == types[$0.key] }
        for index in rhythms.indices where subscribers[rhythms[index].value] != nil {
            beats[index].due = now + rhythms[index].beats[0].after
        }
    }

    /// Reports a request that the server has refused.
    func refused(_ link: LinkID, _ request: RefusedRequest, _ notices: inout DeviceNotices) {
        notices.report(.refused(link, request, types[request.handle]))
    }

    /// Removes the subscriptions of a link that has ended.
    mutating func ended(_ link: LinkID) {
        reads[link] = nil
        procedures.removeAll { $0.link == link }
        for handle in Array(subscribers.keys) { unsubscribe(link, handle) }
    }

    /// Handles a value written by a client without response, or that the server has stored.
    func receive(
        _ link: LinkID, _ handle: AttributeHandle, _ octets: [UInt8], _ notices: inout DeviceNotices, at now: Instant
    ) {
        meet(.write, handle, link, &notices, at: now) { _ in .write(nil, handle, octets, nil) }
    }

    mutating func written(
        _ link: LinkID, _ handle: AttributeHandle, _ octets: [UInt8], _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        dynamicValues[handle]?.set(octets)
        notices.report(.written(link, value(handle, octets)))
        if let reaction = reactions[handle] { react(reaction, octets, link, &host, &notices, at: now) }
        if let answer = answers[handle]?[octets] { send(handle, answer, toWriter: link, &notices, at: now) }
        perform(handle, octets, link, &notices, at: now)
    }

    /// The value of the link's present read.
    func presentValue(_ handle: AttributeHandle, _ link: LinkID) -> [UInt8] {
        dynamicValues[handle]?.octets(ofRead: (reads[link]?[handle] ?? 1) - 1) ?? []
    }

    /// Handles a client's configuration of a value.
    mutating func subscribed(
        _ link: LinkID, _ handle: AttributeHandle, _ configuration: ClientConfiguration,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        notices.report(.subscribed(link, handle, type(handle), configuration))
        if FaultedRequest(faults.faults(at: DeviceStep.subscribe, link, device, &notices)).disconnectsAfter {
            faults.endSoon(link, at: now)
        }
        unsubscribe(link, handle)
        guard !configuration.isDisjoint(with: [.notification, .indication]) else { return }
        subscribers[handle, default: []].append(
            Subscriber(link: link, isIndicated: !configuration.contains(.notification)))
        for index in rhythms.indices
        where rhythms[index].value == handle && beats[index].due == nil && !beats[index].isStopped {
            beats[index].due = now + rhythms[index].beats[beats[index].next].after
        }
    }

    /// Reports a client that has ended its link before its request was answered.
    func gaveUp(_ link: LinkID, _ handle: AttributeHandle, after time: Duration, _ notices: inout DeviceNotices) {
        notices.report(.gaveUp(link, handle, type(handle), after: time))
    }

    /// Reports a client's confirmation of an indication.
    func confirmed(_ link: LinkID, _ handle: AttributeHandle, _ notices: inout DeviceNotices) {
        notices.report(.confirmed(link, handle, type(handle)))
    }

    /// Sends the values due at `now`. Missed periods are skipped.
    mutating func advance(to now: Instant, _ host: inout Host, _ notices: inout DeviceNotices) {
        if let due = nextStorm, due <= now {
            nextStorm = now + DeviceTable.shortestRhythm
            for handle in subscribers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                sendToAll(handle, present(handle), &notices, at: now)
            }
        }
        for index in beats.indices {
            guard let due = beats[index].due, due <= now else { continue }
            let rhythm = rhythms[index]
            let type = type(rhythm.value)
            let octets = logic?.nextValue(type) ?? rhythm.beats[beats[index].next].octets
            beats[index].next = (beats[index].next + 1) % rhythm.beats.count
            let after = rhythm.beats[beats[index].next].after
            beats[index].due = due + after > now ? due + after : now + after
            if !rhythm.isRecorded { change(rhythm.value, to: octets, &host) }
            sendToAll(rhythm.value, octets, &notices, at: now)
        }
        sendProcedures(&notices, at: now)
    }

    /// Changes the period of a value, or stops it.
    mutating func setPeriod(_ type: BluetoothUUID, _ every: Duration?, at now: Instant) {
        for index in rhythms.indices where types[rhythms[index].value] == type {
            beats[index].isStopped = every == nil
            beats[index].due = nil
            guard let every else { continue }
            for beat in rhythms[index].beats.indices { rhythms[index].beats[beat].after = every }
            if subscribers[rhythms[index].value] != nil { beats[index].due = now + every }
        }
    }

    /// Begins or ends a storm of values.
    mutating func setStorm(_ isOn: Bool, at now: Instant) { nextStorm = isOn ? now : nil }

    /// Changes the values of this type, and sends them; returns their number.
    mutating func send(
        _ type: BluetoothUUID, _ octets: [UInt8], _ host: inout Host, _ notices: inout DeviceNotices, at now: Instant
    ) -> Int {
        let handles = accesses.keys.filter { types[$0] == type }.sorted { $0.rawValue < $1.rawValue }
        for handle in handles {
            change(handle, to: octets, &host)
            sendToAll(handle, octets, &notices, at: now)
        }
        return handles.count
    }

    private func sendToAll(
        _ handle: AttributeHandle, _ octets: [UInt8], _ notices: inout DeviceNotices, at now: Instant
    ) {
        for subscriber in subscribers[handle] ?? [] { send(handle, octets, to: subscriber, &notices, at: now) }
    }

    /// The value at present: the next one of a cycle, or what is read.
    private func present(_ handle: AttributeHandle) -> [UInt8] {
        guard let index = rhythms.firstIndex(where: { $0.value == handle }) else {
            return dynamicValues[handle]?.octets ?? []
        }
        return rhythms[index].beats[beats[index].next].octets
    }

    // MARK: - Values held here

    /// Answers a read. The parts of a long read are reported as one.
    mutating func read(
        _ request: AttributeRequestID, _ handle: AttributeHandle, offset: Int, _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        guard let held = dynamicValues[handle] else {
            _ = host.refuse(request, .unlikelyError, at: now)
            return
        }
        // A fault is for the whole of a long read.
        guard offset == 0 else { return faults.add(.read(request, handle, nil), delay: .zero, request.link, at: now) }
        let number = reads[request.link]?[handle] ?? 0
        reads[request.link, default: [:]][handle] = number + 1
        notices.report(.read(request.link, value(handle, held.octets(ofRead: number))))
        meet(.read, handle, request.link, &notices, at: now) { .read(request, handle, $0) }
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
        if let error = refusal(handle, octets, request.link, &notices) {
            _ = host.refuse(request, error, at: now)
            let refusal = RefusedRequest(opcode: .writeRequest, handle: handle, error: error)
            return refused(request.link, refusal, &notices)
        }
        meet(.write, handle, request.link, &notices, at: now) { .write(request, handle, octets, $0) }
    }

    // MARK: -

    /// The first value of this type.
    func handle(of type: BluetoothUUID) -> AttributeHandle? {
        accesses.keys.filter { types[$0] == type }.min()
    }

    func type(_ handle: AttributeHandle) -> BluetoothUUID { types[handle] ?? BluetoothUUID(0) }

    func value(_ handle: AttributeHandle, _ octets: [UInt8]) -> DeviceValue {
        DeviceValue(handle: handle, type: type(handle), octets: octets)
    }

    private mutating func unsubscribe(_ link: LinkID, _ handle: AttributeHandle) {
        subscribers[handle]?.removeAll { $0.link == link }
        guard subscribers[handle]?.isEmpty != false else { return }
        subscribers[handle] = nil
        for index in rhythms.indices where rhythms[index].value == handle {
            beats[index].due = nil
            if rhythms[index].isRecorded { beats[index].next = 0 }
        }
    }

    private mutating func react(
        _ reaction: DeviceTable.Reaction, _ octets: [UInt8], _ writer: LinkID, _ host: inout Host,
        _ notices: inout DeviceNotices, at now: Instant
    ) {
        if reaction.changesTarget { change(reaction.target, to: octets, &host) }
        switch reaction.audience {
        case .echo:
            send(reaction.target, octets, toWriter: writer, &notices, at: now)
        case .notify: sendToAll(reaction.target, octets, &notices, at: now)
        }
    }

    /// Sends a value to the client that wrote, as it has subscribed; one that has not is reported.
    func send(
        _ handle: AttributeHandle, _ octets: [UInt8], toWriter link: LinkID, _ notices: inout DeviceNotices,
        at now: Instant
    ) {
        let subscriber = subscribers[handle]?.first { $0.link == link }
        send(handle, octets, to: subscriber ?? Subscriber(link: link, isIndicated: false), &notices, at: now)
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
}
