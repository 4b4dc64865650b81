// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The transmit power of a link's central, by LE Power Control (Core 5.4, Vol 6, Part B, 5.1.17).
///
/// Without a request the host sends nothing, not even another event mask. A request takes two commands on each link:
/// the first enables reports of changes, the second reads the present power. The value is the claim of the central's
/// link layer.
struct CentralPower: Equatable {
    /// The progress of a request.
    enum State {
        /// Nothing is outstanding.
        case idle
        /// The command that enables reports of changes is due.
        case wanted
        /// That command is outstanding.
        case enabling
        /// Reports are enabled; the command that reads the present power is due.
        case enabled
        /// The read is outstanding, until its report.
        case reading
        /// The read is complete, and changes are reported.
        case told
        /// The central lacks the feature; it is not asked again.
        case unsupported

        /// True if the central may report changes.
        var takesChanges: Bool {
            switch self {
            case .enabled, .reading, .told: true
            case .idle, .wanted, .enabling, .unsupported: false
            }
        }
    }

    var state = State.idle
    /// The PHY on which the central transmits; advertising with legacy PDUs makes links on 1M.
    var phy: UInt8 = 1
    /// The power that the device knows, in dBm.
    var dBm: Int8?

    /// True on 1M and 2M. On the Coded PHY each coding has its own power, and the host does not know which coding the
    /// central uses.
    var hasReadablePHY: Bool { phy == 1 || phy == 2 }
}

/// The state of the Transmit Power Reporting event at the controller.
enum PowerEvents {
    /// It is masked, as after a reset.
    case masked
    /// The command that unmasks it is due.
    case wanted
    /// It is unmasked.
    case unmasked
    /// The controller has refused or not answered a command for it; it is not asked again.
    case unusable
}

extension Host {
    /// Requests the transmit power of the link's central, and reports of its changes: the event `transmitPower` follows
    /// as soon as there is a value. The commands have low priority, before RSSI readings.
    ///
    /// Nothing happens while a request is outstanding, after a value, on the Coded PHY, and if the controller or the
    /// central lacks LE Power Control. Another failure can be followed by another request.
    public mutating func readTransmitPower(_ link: LinkID, at now: Instant) {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open,
            connections[slot].power.state == .idle, connections[slot].power.hasReadablePHY,
            powerEvents != .unusable, let controller, controller.tellsTransmitPower
        else { return }
        connections[slot].power.state = .wanted
        if powerEvents == .masked { powerEvents = .wanted }
        sendCommands(at: now)
    }

    /// Sends the next command about transmit power; false if none is due.
    mutating func sendPowerCommand(at now: Instant) -> Bool {
        switch powerEvents {
        case .masked, .unusable: return false
        case .wanted:
            let mask = BringUp.leEventMask | BringUp.transmitPowerEventMask
            send(HostCommand.leSetEventMask(mask), for: .powerEvents, at: now)
            return true
        case .unmasked: break
        }
        for slot in connections.indices where connections[slot].phase == .open {
            let (id, handle) = (connections[slot].id, connections[slot].handle)
            switch connections[slot].power.state {
            case .wanted:
                connections[slot].power.state = .enabling
                send(HostCommand.leReportRemoteTransmitPower(handle: handle), for: .powerReports(id), at: now)
                return true
            case .enabled:
                connections[slot].power.state = .reading
                let phy = connections[slot].power.phy
                let command = HostCommand.leReadRemoteTransmitPowerLevel(handle: handle, phy: phy)
                send(command, for: .remotePower(id), at: now)
                return true
            case .idle, .enabling, .reading, .told, .unsupported: continue
            }
        }
        return false
    }

    /// Ends the requests until the controller is ready again.
    mutating func powerUnusable() {
        powerEvents = .unusable
        emit(.transmitPowerUnavailable)
    }

    /// Handles the answer to a link's command. The success of the read is its report.
    mutating func powerAnswered(_ link: LinkID, _ status: HCIStatus) {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open else { return }
        guard status == .success else { return powerFailed(slot, status) }
        if connections[slot].power.state == .enabling { connections[slot].power.state = .enabled }
    }

    private mutating func powerFailed(_ slot: Int, _ status: HCIStatus) {
        connections[slot].power.state = status == .unsupportedRemoteFeature ? .unsupported : .idle
        tellPower(slot, nil)
    }

    /// Handles a report. Its value counts only if it was requested and is for the present PHY.
    mutating func transmitPowerReported(_ report: HCIEvent.TransmitPowerReport, _ status: HCIStatus) {
        guard let slot = slot(of: report.handle) else { return noteUnknownHandle(report.handle, at: lastInput) }
        guard connections[slot].phase == .open else { return ignore() }
        let isCurrent = report.phy == connections[slot].power.phy && connections[slot].power.hasReadablePHY
        switch (report.reason, connections[slot].power.state) {
        case (HCIEvent.TransmitPowerReport.remoteRead, .reading):
            guard status == .success else { return powerFailed(slot, status) }
            // After a change of the PHY there is no value, and the link may be asked about again.
            connections[slot].power.state = isCurrent ? .told : .idle
        case (HCIEvent.TransmitPowerReport.remoteChanged, let state) where state.takesChanges && status == .success:
            break
        default: return ignore()
        }
        if isCurrent { tellPower(slot, report.dBm) }
    }

    /// Handles a change of the PHY: the central's power on the new one is not known.
    mutating func phyUpdated(_ handle: UInt16, _ status: HCIStatus, receiver: UInt8) {
        guard let slot = slot(of: handle) else { return noteUnknownHandle(handle, at: lastInput) }
        guard status == .success, connections[slot].power.phy != receiver else { return }
        connections[slot].power.phy = receiver
        switch connections[slot].power.state {
        case .reading, .unsupported: break
        case .idle, .wanted, .enabling, .enabled, .told: connections[slot].power.state = .idle
        }
        tellPower(slot, nil)
    }

    private mutating func tellPower(_ slot: Int, _ dBm: Int8?) {
        guard connections[slot].phase == .open, connections[slot].power.dBm != dBm else { return }
        connections[slot].power.dBm = dBm
        emit(.transmitPower(connections[slot].id, dBm: dBm))
    }
}
