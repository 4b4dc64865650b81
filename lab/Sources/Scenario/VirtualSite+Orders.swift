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
            carryOut(event.order)
            settle()
        }
    }

    private func carryOut(_ order: SiteOrder) {
        switch order {
        case .line(let input, let isActive):
            device.reader.doorLine(input, isActive: isActive, since: now, at: moment)
        case .lockdown(let isActive): device.reader.lockdown(isActive, at: moment)
        case .open: _ = device.reader.operate(.pulse, at: moment)
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
        guard let next = try? makeDevice(moment) else { return }
        device = next
        device.reader.blacklist = blacklist
        device.reader.startDoor(at: now)
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
