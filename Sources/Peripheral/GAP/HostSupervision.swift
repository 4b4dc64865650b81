// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// The comparison of the host's picture of the controller with the controller's, and the reset when they differ.
extension Host {
    /// True if the host claims a state of the controller: advertising, or a link.
    private var hasClaims: Bool { !advertiser.status.onAir.isEmpty || connections.contains { $0.isLive } }

    /// The time of the next call of `supervise`.
    var supervisionDeadline: Instant? {
        var earliest = Instant.earlier(supervision.handleDue, supervision.missingSet?.until)
        if supervision.due != nil, hasClaims { earliest = Instant.earlier(earliest, supervision.due) }
        return earliest
    }

    /// Performs the due actions of the supervision.
    mutating func supervise(to now: Instant) {
        guard let controller else { return }
        while let handle = supervision.takeUnknownHandle(at: now) { askAboutHandle(handle, at: now) }
        if let missing = supervision.missingSet, now >= missing.until {
            supervision.missingSet = nil
            if advertiser.isStillMissing(missing.set) {
                lost(.advertising, "advertising set \(missing.set) is off", at: now)
            }
        }
        guard isRunning, let due = supervision.due, now >= due, hasClaims else { return }
        beginRound(controller, at: now)
    }

    /// The time between two rounds; nil for no rounds.
    private var verificationPeriod: Duration? {
        configuration.verificationPeriod.map {
            min(max($0, Supervision.periods.lowerBound), Supervision.periods.upperBound)
        }
    }

    /// Plans the first round, which finds out which questions the controller answers.
    mutating func beginSupervision(at now: Instant) {
        supervision.lastRound = now
        supervision.due = verificationPeriod.map { min(now + Supervision.firstRound, now + $0) }
    }

    /// Makes the next round due at once.
    mutating func hastenRound(at now: Instant) {
        if supervision.due != nil { supervision.due = now }
    }

    private mutating func beginRound(_ controller: BringUp, at now: Instant) {
        supervision.lastRound = now
        supervision.due = verificationPeriod.map { now + $0 }
        // They cannot be read. Sent again, they are right after a restart that nothing else shows.
        supervision.commands = [.eventMask, .leEventMask]
        if controller.commands.hasReadSuggestedDataLength, controller.commands.hasSuggestedDataLength,
            supervision.setting != .unusable, supervision.believes(.setting, at: now)
        {
            supervision.commands.insert(.setting)
        }
        advertiser.beginReview()
        for slot in connections.indices where connections[slot].phase == .open {
            connections[slot].wantsReview = !connections[slot].isProven || !supervision.isHandleCommandKnown
            connections[slot].isProven = false
        }
        // A controller that left Read RSSI unanswered is tried again.
        unresponsive.rssi = min(unresponsive.rssi, HostLimits.maximumUnansweredRSSI - 1)
    }

    /// Handles a new claim: without one, no round was due.
    mutating func claimed(at now: Instant) {
        if let due = supervision.due, due <= now { supervision.due = now + Supervision.firstRound }
    }

    /// Handles a new link. The command that verifies links is tried soon, to be known when it is needed.
    mutating func linkAnnounced(at now: Instant) {
        claimed(at: now)
        guard !supervision.isHandleCommandKnown, let due = supervision.due, handleCommand(for: 0) != nil else { return }
        supervision.due = min(due, now + Supervision.firstRound)
    }

    /// Schedules the masks and the configuration of the sets again if nothing was verified for longer than the time
    /// between rounds: there was nothing to verify, and the controller may have restarted.
    mutating func renewIfUnverified(at now: Instant) {
        guard isRunning, !hasClaims, let period = verificationPeriod, now - supervision.lastRound >= period else {
            return
        }
        beginSupervision(at: now)
        supervision.commands = [.eventMask, .leEventMask]
        advertiser.reload()
    }

    /// Sends the next command of a round that is not for a set or a link; false after the last.
    mutating func sendSupervisionCommand(at now: Instant) -> Bool {
        guard !supervision.commands.isEmpty else { return false }
        if supervision.commands.remove(.setting) != nil {
            let purpose = HCICommandFlow.Purpose.settingReview(isKnown: supervision.setting == .kept)
            send(HostCommand.bare(.leReadSuggestedDefaultDataLength), for: purpose, at: now)
        } else if supervision.commands.remove(.eventMask) != nil {
            send(HostCommand.setEventMask(BringUp.eventMask), for: .eventMask, at: now)
        } else {
            supervision.commands.remove(.leEventMask)
            let power = powerEvents == .unmasked ? BringUp.transmitPowerEventMask : 0
            send(HostCommand.leSetEventMask(BringUp.leEventMask | power), for: .leEventMask, at: now)
        }
        return true
    }

    /// Sends the next verification of a link; false if none is due.
    mutating func sendLinkReview(at now: Instant) -> Bool {
        for slot in connections.indices where connections[slot].wantsReview && connections[slot].phase == .open {
            connections[slot].wantsReview = false
            let (id, handle) = (connections[slot].id, connections[slot].handle)
            guard let command = handleCommand(for: handle) else { return false }
            connections[slot].isProven = false
            let isStatus = supervision.handleCommand == .remoteVersion
            send(command, for: .linkReview(id, handle: handle, isAnsweredByStatus: isStatus), at: now)
            return true
        }
        return false
    }

    private mutating func handleCommand(for handle: UInt16) -> HostCommand? {
        guard let commands = controller?.commands else { return nil }
        while true {
            switch supervision.handleCommand {
            case .rssi where commands.hasReadRSSI: return .readRSSI(handle: handle)
            case .remoteVersion where commands.hasReadRemoteVersion: return .readRemoteVersion(handle: handle)
            case .none: return nil
            case .rssi, .remoteVersion: nextHandleCommand()
            }
        }
    }

    private mutating func nextHandleCommand() {
        supervision.handleCommand = Supervision.HandleCommand(rawValue: supervision.handleCommand.rawValue + 1) ?? .none
    }

    // MARK: - Answers

    /// Handles the answer to the verification of a set.
    mutating func reviewed(_ finding: AdvertisingReview.Finding?, at now: Instant) {
        switch finding {
        case nil, .confirmed: break
        case .unknownSet(let set): lost(.advertising, "advertising set \(set) is unknown to it", at: now)
        case .missing(let set):
            let isSuspected = now < supervision.suspectedUntil
            supervision.missingSet = (set, isSuspected ? now : now + Supervision.explanation)
            if isSuspected { supervise(to: now) }
        }
    }

    /// Handles the answer to the verification of the setting.
    mutating func settingAnswered(_ answer: CommandAnswer<SuggestedDataLength>, at now: Instant) {
        var isKept = false
        if case .success(let value) = answer { isKept = value == .requested }
        switch supervision.setting {
        case .kept: if !isKept { lost(.setting, "its settings are those of a restart", at: now) }
        case .unknown, .unusable: supervision.setting = isKept ? .kept : .unusable
        }
    }

    /// Handles the status of a command for the handle of a link. Unknown Connection Identifier counts if the command
    /// has succeeded before, as some controllers return it always to one command, or if both commands return it.
    mutating func handleAnswered(_ link: LinkID, _ status: HCIStatus, isReview: Bool, at now: Instant) {
        let isInUse = isReview || supervision.handleCommand == .rssi
        if status == .success {
            if isInUse { supervision.isHandleCommandKnown = true }
            if let slot = openSlot(of: link) { connections[slot].missingAt = nil }
        } else if !isInUse {
            return
        } else if supervision.isHandleCommandKnown {
            if status == .unknownConnection { handleIsUnknown(link, at: now) }
        } else if isReview {
            if status == .unknownConnection { supervision.unknownHandleAnswers += 1 }
            nextHandleCommand()
            if supervision.handleCommand != .none {
                if let slot = openSlot(of: link) { connections[slot].wantsReview = true }
            } else if supervision.unknownHandleAnswers == Supervision.HandleCommand.none.rawValue {
                (supervision.handleCommand, supervision.unknownHandleAnswers) = (.rssi, 0)
                handleIsUnknown(link, at: now)
            }
        }
    }

    /// Counts the link as missing, unless its end is reported or it has traffic.
    private mutating func handleIsUnknown(_ link: LinkID, at now: Instant) {
        guard let slot = openSlot(of: link), !connections[slot].isProven, connections[slot].missingAt == nil else {
            return
        }
        connections[slot].missingAt = now < supervision.suspectedUntil ? now : now + Supervision.explanation
    }

    /// Handles the end of the time in which the end of a link could be reported that the controller does not know.
    mutating func linkIsMissing(_ slot: Int, at now: Instant) {
        let (id, handle) = (connections[slot].id, connections[slot].handle)
        lost(.link, "link \(id.generation) is unknown to it", at: now)
        // Unless the controller is reset, in which case all links have ended.
        guard connections[slot].id == id, connections[slot].phase != .free else { return }
        supervision.ended(handle, at: now)
        free(slot, reason: .unspecifiedError)
    }

    // MARK: - Signs

    /// Handles an event that may announce a restart. Asks the controller if a question is known to show a restart.
    /// Otherwise resets it if `isBoot`, for an event that only a start causes.
    mutating func suspectRestart(isBoot: Bool, at now: Instant) {
        guard let controller, supervision.suspects(at: now) else { return }
        var isAskable = advertiser.isReviewKnown && !advertiser.status.onAir.isEmpty
        if supervision.setting == .kept { isAskable = true }
        if supervision.isHandleCommandKnown, connections.contains(where: { $0.phase == .open }) { isAskable = true }
        if isAskable {
            supervision.suspectedUntil = now + Supervision.explanation
            for slot in connections.indices { connections[slot].isProven = false }
            beginRound(controller, at: now)
        } else if isBoot {
            lost(.boot, "it reports a start", at: now)
        }
    }

    /// Handles an event of a handle that the host does not know.
    mutating func noteUnknownHandle(_ handle: UInt16, at now: Instant) {
        guard handle <= DataPacket.highestHandle, !rejected.contains(where: { $0.handle == handle }) else { return }
        supervision.noteUnknown(handle, at: now)
    }

    /// Asks the controller to end a connection that it has not reported. If it does, an event was lost.
    private mutating func askAboutHandle(_ handle: UInt16, at now: Instant) {
        guard slot(of: handle) == nil, !rejected.contains(where: { $0.handle == handle }),
            rejected.count < HostLimits.rejected
        else { return }
        rejected.append(
            RejectedConnection(handle: handle, reason: .remoteUserTerminated, after: now, isUnreported: true))
    }

    /// Resets the controller, whose state is not the host's picture of it.
    mutating func lost(_ question: Supervision.Question, _ why: String, at now: Instant) {
        guard isRunning, supervision.believes(question, at: now) else { return }
        supervision.count(question, at: now)
        fail(.stateLost(why), at: now)
    }
}
