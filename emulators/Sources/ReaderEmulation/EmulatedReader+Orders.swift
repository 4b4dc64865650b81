// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Emulation
import Peripheral
import Reader
public import Timekeeping

/// Orders to the running reader.
extension EmulatedReader {
    /// Executes a typed order, and returns the lines of the answer.
    public func receive(_ order: ReaderOrder, at now: Instant) -> [String] {
        catchUp(now)
        let lines = execute(order)
        if case .common(let command) = order, command.isQuestion { return lines }
        if case .cardFaults = order { return lines }
        timeline.add(.command(lines.first ?? "", isTyped: true), device: nil, at: now)
        settle()
        return lines
    }

    /// Executes an order, and returns the lines of the answer.
    func execute(_ order: ReaderOrder) -> [String] {
        switch order {
        case .common(let command): return execute(command)
        case .rssi(let distance): return [setDistance(distance)]
        case .pool(let isFull): return [setPool(isFull)]
        case .modes(let modes): return [restart(with: modes)]
        case .clock(let time): return [setClock(time)]
        case .door(let isOpen):
            device.reader.doorLine(.contact, isActive: isOpen, since: now, at: moment)
            return ["the door contact says: \(isOpen ? "open" : "closed")"]
        case .fire(let isActive):
            device.reader.doorLine(.fire, isActive: isActive, since: now, at: moment)
            return ["the fire input is \(isActive ? "active" : "inactive")"]
        case .lockdown(let isActive):
            device.reader.lockdown(isActive, at: moment)
            return [isActive ? "lockdown: every request to open is refused with -21" : "the lockdown is over"]
        case .disk(let condition):
            for request in disk.change(to: condition, &device.reader.ledger) { answer(request) }
            return ["the disk of the event log: \(condition.rawValue)"]
        case .blacklist(let credential, let isRefused): return [setBlacklist(credential, isRefused)]
        case .cards(let order): return [execute(order)]
        case .cardFaults: return ReaderCardFault.lines
        }
    }

    private func execute(_ command: EmulationCommand) -> [String] {
        switch command {
        case .faults where field?.fault != nil:
            return plan.rules.map(\.description) + (field?.observed.map(\.text) ?? [])
        case .fault, .faults, .clear, .release, .findings, .steps, .help:
            if command == .clear { field?.fault = nil }
            return command.answer(
                &plan, timeline, steps: ReaderStep.all.map(\.description), help: ReaderOrder.helpLines) ?? []
        case .disconnect(let number, let end): return [disconnect(number, end)]
        case .mtu(let mtu):
            wire.mtu = mtu
            return [mtu.map { "links to come agree on an ATT_MTU of \($0) at most" } ?? "links agree on any ATT_MTU"]
        case .quit:
            quit()
            return ["the end"]
        // `ReaderOrder` refuses them.
        case .wifi, .network, .dhcp: return ["a reader has no Wi-Fi"]
        }
    }

    private func disconnect(_ number: UInt32?, _ end: LinkEnd) -> String {
        let ended = links.filter { number == nil || $0.value.number == number }.keys.sorted()
        if let number, ended.isEmpty { return "there is no link \(number)" }
        guard let reason = end.reason else {
            device.start(at: moment)
            return ended.count == 1 ? "1 link falls silent" : "\(ended.count) links fall silent"
        }
        for handle in ended { wire.disconnect(handle, reason: HCIStatus(rawValue: reason)) }
        return ended.count == 1 ? "1 link ends" : "\(ended.count) links end"
    }

    // MARK: - The world

    private func setDistance(_ distance: ReaderDistance) -> String {
        switch distance {
        case .real:
            wire.reading = nil
            return "the gate gets the controller's readings"
        case .none:
            // 127: not available (Core 5.4, Vol 4, Part E, 7.5.4).
            wire.reading = 127
            return "the gate gets no readings"
        case .fixed(let level):
            wire.reading = level
            return "the gate gets readings of \(level) dBm"
        }
    }

    private func setPool(_ isFull: Bool) -> String {
        configuration.maximumLinks = isFull ? 0 : settings.links
        device.reader.reconfigure(configuration, door: DoorConfiguration())
        // A reader decides about advertising when a link begins or ends, or with its controller.
        if !device.hasLinks { device.start(at: moment) }
        return isFull ? "all slots are taken: apps find no reader, or are refused" : "\(settings.links) slots are free"
    }

    private func restart(with modes: [AdvertisingMode]) -> String {
        let blacklist = device.reader.blacklist
        var next = EmulatedReader.configuration(settings, modes)
        next.maximumLinks = configuration.maximumLinks
        let former = wire
        do throws(DatabaseError) {
            let table = try EmulatedReader.table(next, identity)
            device = try EmulatedReader.device(next, identity, at: moment)
            wire = ReaderWire(table)
        } catch {
            return "these modes cannot be advertised: \(error)"
        }
        configuration = next
        wire.adopt(over: former)
        takeWireEvents()
        device.reader.blacklist = blacklist
        device.reader.startDoor(at: now)
        device.start(at: moment)
        startField()
        return "starts again with \(modes.map(\.rawValue).joined(separator: ", "))"
    }

    private func setBlacklist(_ credential: String, _ isRefused: Bool) -> String {
        guard let id = OSSCredentialID(credential) else { return "\(credential.debugDescription) is no credential" }
        let entry = Blacklist.Entry(credentialID: id, expiresAt: nil)
        if isRefused {
            guard device.reader.blacklist.insert(entry, at: nil) != .full else { return "the blacklist is full" }
            return "credential \(credential) is refused"
        }
        guard device.reader.blacklist.contains(id, at: nil) else {
            return "credential \(credential) is not on the list"
        }
        device.reader.blacklist.remove([entry])
        return "credential \(credential) is no longer refused"
    }

    // MARK: - Clock

    static func clock(_ time: ReaderTime, _ systemSeconds: Int64, at now: Instant) -> ReaderClock {
        var clock = ReaderClock(zone: .utc, buildTime: buildTime)
        var events: [ReaderClock.Event] = []
        switch time {
        case .unset: break
        case .real: clock.observe(systemSeconds: systemSeconds, isSynchronised: false, at: now, into: &events)
        case .at(let time):
            _ = clock.set(
                to: time.epochSeconds, by: .operatorLocally, systemSeconds: systemSeconds, at: now, into: &events)
        }
        return clock
    }

    private func setClock(_ time: ReaderTime) -> String {
        clock = EmulatedReader.clock(time, systemSeconds(), at: now)
        guard let local = clock.civilTime(at: now) else {
            return time == .unset ? "the clock is not set" : "the clock is not set: no reader shows a time before 2025"
        }
        return "the clock shows \(LocalMinute.text(local))"
    }
}
