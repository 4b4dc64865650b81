// SPDX-License-Identifier: Apache-2.0

import Journal
import Reader

/// The configured services of a reader.
struct ReaderServices {
    var inputs: InputLines
    var contactless: NFCService?
    var updater: UpdaterService
    var gateway: GatewayService?
    var panel: PanelService?
    var wiegand: WiegandService?
    var matter: MatterService?
    var link: LinkService?
    var control: ControlServer?
    /// The reason for a missing control socket; nil if it exists or is not wanted.
    var controlFault: String?
    /// `--rssi-trace`; nil without.
    var trace: SignalTrace?
    /// `--tell-missing`.
    var showsMissing = false
    /// The directory of keys and stores.
    var state: StateDirectory
    /// True if Aliro is read.
    var readsAliro: Bool
    /// The configuration file, and what a reload needs; see `ReaderConfiguration`.
    var configuration: (path: String, mayBeMissing: Bool)
    var door: ProvisionedDoor?
    var logLevel: LogThreshold?
    var manager: ServiceManager?

    /// Adds the services in the order in which they act in each phase of a turn: those whose results others show before
    /// these, and the status of the socket last.
    func add(to process: ReaderProcess) {
        process.add(
            ReaderConfiguration(
                process, path: configuration.path, mayBeMissing: configuration.mayBeMissing, door: door,
                logLevel: logLevel, manager: manager))
        process.add(ReaderCards(process))
        // After the list of cards: a store without it would lose the keys of listed phones.
        if readsAliro { process.add(ReaderAliro.make(process, state: state)) }
        process.add(ReaderPKOC(process, state: state))
        process.add(ReaderInputs(process, inputs))
        let contactless = contactless.map { ReaderContactless(process, $0) }
        if let contactless { process.add(contactless) }
        let updater = ReaderUpdater(process, updater)
        process.add(updater)
        let gateway = gateway.map { ReaderGateway(process, $0) }
        if let gateway { process.add(gateway) }
        if let panel { process.add(ReaderPanel(process, panel, updater: updater, contactless: contactless)) }
        if let wiegand { process.add(ReaderWiegand(process, wiegand)) }
        if let matter { process.add(ReaderMatter(process, matter, gateway: gateway)) }
        let control = ReaderControl(process, control, fault: controlFault)
        if let link { process.add(ReaderLink(process, link)) }
        process.add(control)
        process.add(ReaderSurvey(process, control: control))
        if showsMissing { process.add(ReaderMissing(process)) }
        if let trace { process.add(ReaderTrace(process, trace)) }
    }
}
