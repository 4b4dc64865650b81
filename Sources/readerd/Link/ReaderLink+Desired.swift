// SPDX-License-Identifier: Apache-2.0

import Configuration
import Fleet
import Logging
import Reader
import Remote
import System
import Timekeeping

/// The desired state of a back end: collected, kept in one generation of the policy, and then in force.
extension ReaderLink {
    /// Receives a chunk as it came.
    func receive(chunk octets: [UInt8], _ index: Int) {
        let complete = link.orders.desired.receive(
            chunk: octets, index: index, settable: settings.link.maySet, list: process.device.reader.blacklist,
            at: moment)
        if let complete { keep(complete, link) }
        link.followDesired(at: reactor.now)
    }

    private func keep(_ state: DesiredState.Complete, _ link: LinkService) {
        let list = state.blacklist.map { process.device.reader.beginReplacement($0, at: moment) }
        link.keeping = LinkService.Keeping(state: state, list: list?.id)
        if !audit.keep(DesiredState.setting, state.octets, with: list?.change, version: state.version) {
            keptDesired(state.version, false)
        }
    }

    /// The desired state of this version is on the disk, and in force; or the previous one stays.
    func keptDesired(_ version: UInt64, _ isKept: Bool) {
        guard let keeping = link.keeping, keeping.state.version == version else { return }
        link.keeping = nil
        if let list = keeping.list { process.device.reader.endReplacement(list, isKept: isKept) }
        link.orders.desired.kept(version, isKept)
        link.followDesired(at: reactor.now)
        guard isKept else {
            return log.error("link: version \(version) of the desired state could not be kept; the previous one stays")
        }
        applyDesiredSettings()
        record(keeping)
        log.notice("link: version \(version) of the desired state is in force, signed by \(keeping.state.actor)")
        let additions = keeping.state.additions
        if additions > 0 {
            log.notice("link: \(additions) entries of the previous blacklist stay: some may be younger than the state")
        }
    }

    private func record(_ keeping: LinkService.Keeping) {
        var event = AuditEvent(
            .configurationChanged, at: auditTime, channel: .remote, actor: keeping.state.actor,
            detail: "desired \(keeping.state.version)")
        record(event)
        guard keeping.list != nil else { return }
        event.kind = .blacklistChanged
        event.info = Int32(clamping: process.device.reader.blacklist.count)
        record(event)
    }

    /// Restores the state that was in force, and the time of the last addition to the blacklist.
    func restoreDesired(_ kept: [UInt8]?, addedAt: [UInt8]?) {
        link.orders.desired.restore(kept, addedAt: addedAt)
        if kept != nil, link.orders.desired.settings == nil {
            process.device.reader.forgetDays(of: Set(settings.link.maySet.compactMap(\.setting)))
            log.error("link: the desired state in force is unreadable: its settings are not in use")
        }
        applyDesiredSettings()
    }

    /// Applies the settings in force, and the file's to those that the back end may set and has not, or that it could
    /// set formerly.
    func applyDesiredSettings(formerly: [OwnedPart] = []) {
        guard let desired = link.orders.desired.settings else { return }
        let own = settings
        let settings = desired.applied(to: own, permitted: own.link.maySet)
        let owned = Set((own.link.maySet + formerly).compactMap(\.setting))
        do throws(ReaderdError) {
            let configuration = try AccessConfiguration(settings, addresses: process.setup.addresses)
            process.device.adopt(owned, of: configuration, door: settings.doorConfiguration, at: moment)
            process.wall.use(process.device.reader.configuration.zone)
        } catch {
            log.error("link: the settings of the desired state are not in use: \(error)")
        }
    }

    /// Another configuration may permit what the last one did not.
    func reconsiderDesired() {
        guard link.orders.desired.report.refused != nil else { return }
        link.orders.desired.reconsider()
        link.send(.fetch(.manifest))
    }
}
