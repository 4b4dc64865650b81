// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping
import VirtualRadio

/// The events at a site besides phones: inputs, the operator, faults.
extension VirtualSite {
    /// Carries out the orders that are due, each at the reader that it names, or at all.
    func carryOut() {
        while let event = orders.first, .origin + event.after <= now {
            orders.removeFirst()
            let text = event.order.line + (event.reader.map { ", at \($0)" } ?? "")
            timeline.append(TimelineEntry(now, "site", .note, text))
            for reader in readers where event.reader == nil || event.reader == reader.name {
                carryOut(event.order, at: reader)
                touch(reader)
            }
            settle()
        }
    }

    private func carryOut(_ order: SiteOrder, at reader: SiteReader) {
        reader.carryOut(order, at: moment, timeline: &timeline)
        switch order {
        case .loss, .controller, .power: updateLoss(reader, phones)
        case .interference(let percent):
            air.setInterference(at: radio(reader), share: Double(percent) / 100)
        default: break
        }
    }

    /// A reader that is not served by its controller is neither heard nor hears.
    func updateLoss(_ reader: SiteReader, _ phones: [ScenarioPhone]) {
        let share = reader.isServed ? Double(reader.lossPercent) / 100 : 1
        for phone in phones { setLoss(reader, phone, share) }
    }

    private func setLoss(_ reader: SiteReader, _ phone: ScenarioPhone, _ share: Double) {
        for (from, to) in paths(reader, phone) { air.setLoss(from: from, to: to, share: share) }
    }

    /// Switches all phones off, and takes all cards away: their links end by the supervision time-out.
    public func removePhones() {
        for phone in phones {
            (phone.isOn, phone.ahead) = (false, [])
            for reader in readers { setLoss(reader, phone, 1) }
        }
        removeCards()
    }
}

extension SiteReader {
    /// True while an input lets people through, which a reader sees when it starts.
    var isHeldOpenByLine: Bool { levels[.exit] == true || levels[.fire] == true }

    /// Carries out an order, and keeps it for the rules of the lock. Loss and interference are the air's.
    func carryOut(_ order: SiteOrder, at time: Moment, timeline: inout [TimelineEntry]) {
        carriedOut.append((time.instant, order))
        if order.opens || order == .power(true) && isHeldOpenByLine { causes.append(time.instant) }
        let moment = known(time)
        switch order {
        case .line(let input, let isActive):
            levels[input] = isActive
            if isPowered { device.reader.doorLine(input, isActive: isActive, since: time.instant, at: moment) }
        case .lockdown(let isActive): if isPowered { device.reader.lockdown(isActive, at: moment) }
        case .open: if isPowered { _ = device.reader.operate(.pulse, at: moment) }
        case .resetTamper: if isPowered { _ = device.reader.resetTamper(at: moment) }
        case .clock(let isSet): isClockSet = isSet
        case .blacklist(let credential):
            _ = device.reader.blacklist.insert(Blacklist.Entry(credentialID: credential, expiresAt: nil), at: nil)
        case .loss(let percent): lossPercent = percent
        // The air's.
        case .interference: break
        case .controller(let isWorking):
            guard isWorking != isControllerWorking else { return }
            isControllerWorking = isWorking
            if isPowered { isWorking ? device.start(at: moment) : device.transportLost(at: moment) }
        case .power(let isOn):
            guard isOn != isPowered else { return }
            if isOn { startAgain(at: moment) } else { cutPower(at: time.instant, &timeline) }
        }
    }

    /// The outputs fall to their levels without power; what the reader had in memory is gone.
    private func cutPower(at now: Instant, _ timeline: inout [TimelineEntry]) {
        isPowered = false
        loseLinks()
        stopField(at: now)
        for action in [DoorAction.setLock(energised: false), .setBuzzer(on: false)] {
            apply(action, into: &timeline, at: now)
        }
    }

    private func startAgain(at moment: Moment) {
        isPowered = true
        let (blacklist, aliro) = (device.reader.blacklist, device.reader.aliro)
        // The configuration is the same as at the start, where it was accepted.
        guard let next = try? makeDevice(starts + 1, moment) else { return }
        starts += 1
        device = next
        device.reader.blacklist = blacklist
        restartField(last: aliro, at: moment.instant)
        device.reader.startDoor(at: moment.instant)
        for input in DoorInput.allCases {
            guard let isActive = levels[input] else { continue }
            device.reader.doorLine(input, isActive: isActive, since: moment.instant, at: moment)
        }
        if isControllerWorking { device.start(at: moment) }
    }
}
