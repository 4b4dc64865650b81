// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping
import VirtualRadio

/// The events at a site besides phones: inputs, the operator, faults.
extension VirtualSite {
    /// Carries out the orders that are due.
    func carryOut() {
        while let event = orders.first, .origin + event.after <= now {
            orders.removeFirst()
            timeline.append(TimelineEntry(now, "site", .note, event.order.line))
            carriedOut.append((now, event.order))
            if event.order.opens || event.order == .power(true) && isHeldOpenByLine { causes.append(now) }
            carryOut(event.order)
            settle()
        }
    }

    /// True while an input lets people through, which a reader sees when it starts.
    private var isHeldOpenByLine: Bool { levels[.exit] == true || levels[.fire] == true }

    private func carryOut(_ order: SiteOrder) {
        switch order {
        case .line(let input, let isActive):
            levels[input] = isActive
            if isPowered { device.reader.doorLine(input, isActive: isActive, since: now, at: moment) }
        case .lockdown(let isActive): if isPowered { device.reader.lockdown(isActive, at: moment) }
        case .open: if isPowered { _ = device.reader.operate(.pulse, at: moment) }
        case .resetTamper: if isPowered { _ = device.reader.resetTamper(at: moment) }
        case .clock(let isSet): isClockSet = isSet
        case .blacklist(let credential):
            _ = device.reader.blacklist.insert(Blacklist.Entry(credentialID: credential, expiresAt: nil), at: nil)
        case .loss(let percent):
            lossPercent = percent
            updateLoss()
        case .controller(let isWorking):
            guard isWorking != isControllerWorking else { return }
            isControllerWorking = isWorking
            if isPowered { isWorking ? device.start(at: moment) : device.transportLost(at: moment) }
            updateLoss()
        case .power(let isOn):
            guard isOn != isPowered else { return }
            isOn ? startAgain() : cutPower()
            updateLoss()
        }
    }

    /// The outputs fall to their levels without power; what the reader had in memory is gone.
    private func cutPower() {
        isPowered = false
        for action in [DoorAction.setLock(energised: false), .setBuzzer(on: false)] { apply(action) }
    }

    private func startAgain() {
        isPowered = true
        let blacklist = device.reader.blacklist
        // The configuration is that of the start, which was accepted.
        guard let next = try? makeDevice(starts + 1, moment) else { return }
        starts += 1
        device = next
        device.reader.blacklist = blacklist
        device.reader.startDoor(at: now)
        for input in DoorInput.allCases {
            guard let isActive = levels[input] else { continue }
            device.reader.doorLine(input, isActive: isActive, since: now, at: moment)
        }
        if isControllerWorking { device.start(at: moment) }
    }

    /// A reader that is not served by its controller is neither heard nor hears.
    func updateLoss() {
        let share = isServed ? Double(lossPercent) / 100 : 1
        for controller in phoneControllers {
            air.setLoss(from: controller, to: readerController, share: share)
            air.setLoss(from: readerController, to: controller, share: share)
        }
    }

    /// True while links stand at the reader.
    public var hasLinks: Bool { device.hasLinks }

    /// Switches all phones off: their links end by the supervision time-out.
    public func removePhones() {
        for phone in phones { (phone.isOn, phone.ahead) = (false, []) }
        for controller in phoneControllers {
            air.setLoss(from: controller, to: readerController, share: 1)
            air.setLoss(from: readerController, to: controller, share: 1)
        }
    }
}
