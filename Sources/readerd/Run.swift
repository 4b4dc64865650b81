// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import Glibc
import Journal
import Logging
import NFC
import Peripheral
import System
import Reader
import Timekeeping

/// Runs the reader until a signal ends it. Returns the exit status.
func runReader(
    _ options: RunOptions, settings: ReaderSettings, transport: TransportName, identity usable: UsableIdentity,
    addresses: AddressBook, state: StateDirectory, log: Logger, threshold: LogThreshold
) throws(ReaderdError) -> Int32 {
    let identity = usable.identity
    let configuration = try AccessConfiguration(settings, addresses: addresses)
    // The lines first: the door is in its safe state before anything else can fail.
    let lines = try ReaderLines(settings)
    let inputs = try InputLines(settings)
    try StoredPolicy.markFirstStart(in: state)
    let (key, damage) = try EventLogKey.loadOrReplace(in: state)
    if let damage { log.warning("\(damage)") }
    let capture = try options.capture.map { path throws(ReaderdError) in try PacketCapture(path: path, log: log) }
    let trace = try options.trace.map { path throws(ReaderdError) in try SignalTrace(path: path, log: log) }
    let (listener, controlFault) = try controlListener(options, settings, log: log)
    let service = try ServiceManager()
    do {
        let reactor = try Reactor.ofProgram(signals: ReaderProcess.signals)
        // A file beyond its limit of size (setrlimit(2)) is reported by write(2) as well.
        signal(SIGXFSZ, SIG_IGN)
        let wall = WallClock(
            zone: configuration.zone, buildTime: Int64(configuration.version.buildTime), monotonic: { reactor.now })
        let provisioning = try GatewayService(
            settings.provisioning, address: addresses.provisioning,
            own: GatewayService.ownName(control: listener?.path), reactor)
        let panel = PanelService(
            settings.osdp, settings.gpio, directory: state.path, serial: PanelService.serial(identity), reactor)
        let wiegand = try WiegandService(settings.wiegand, reactor)
        let matter = try MatterService(settings.matter, hasWiFi: provisioning != nil, log: log)
        let companions: [(any CompanionDevice)?] = [provisioning?.companion, matter?.relay]
        var device = try ReaderDevice(
            configuration: configuration, identity: identity, door: settings.doorConfiguration,
            random: SystemRandomSource(), companions: companions.compactMap(\.self), at: wall.moment)
        device.reader.tracesRSSI = trace != nil
        if !usable.servesPhones { device.reader.refusePhones() }
        let connection = ControllerConnection(
            reactor, name: transport, takesAdapter: settings.takesAdapter, capture: capture, log: log)
        // Before any other thread starts, since it changes the environment; after the signals are blocked.
        NFCFrontEnd.disableLibraryOutput()
        let contactless = try settings.nfc.connection.map { name throws(ReaderdError) in
            try NFCService(connection: name, settings: settings.polling)
        }
        // After the signals are blocked, so that its thread receives none.
        let audit = try EventRecorder(settings, directory: state.path, key: key, log: log) {
            wall.auditTime
        }
        let modes = settings.advertising.modes.map(\.rawValue).joined(separator: ", ")
        log.notice(
            "readerd \(FirmwareVersion.text), reader \(identity.deviceID), controller \(transport), modes \(modes)")
        var setup = ReaderSetup(settings: settings, addresses: addresses, deviceID: identity.deviceID)
        (setup.isDemo, setup.controller, setup.keys) = (identity.isDemo, "\(transport)", try usable.keys)
        setup.identityFault = usable.fault
        let process = ReaderProcess(
            reactor, connection: connection, device: device, lines: lines, audit: audit, wall: wall, setup: setup,
            log: log)
        let path = options.configuration ?? RunOptions.defaultConfiguration
        ReaderServices(
            inputs: inputs, contactless: contactless,
            updater: UpdaterService(settings.updater.command, device: identity.deviceID, reactor: reactor, log: log),
            gateway: provisioning, panel: panel, wiegand: wiegand, matter: matter,
            link: usable.isKnownToFleet ? try LinkService(settings.link, identity, log: log) : nil,
            control: listener.map { ControlServer(reactor, listener: $0, log: log) }, controlFault: controlFault,
            trace: trace, showsMissing: options.tellsMissing, state: state, readsAliro: settings.readsAliro,
            configuration: (path: path, mayBeMissing: options.configuration == nil), door: usable.door,
            logLevel: options.logLevel == nil ? threshold : nil, manager: service
        ).add(to: process)
        try process.run()
        return 0
    } catch {
        throw .failed("\(error)")
    }
}

/// Creates the control socket. A socket named explicitly is required; without the default one the reader runs, and the
/// fault is returned.
private func controlListener(
    _ options: RunOptions, _ settings: ReaderSettings, log: Logger
) throws(ReaderdError) -> (UnixListener?, fault: String?) {
    if let path = options.control ?? settings.control { return (try ControlListener.listen(at: path), nil) }
    let path = ControlListener.defaultPath
    let directory = ControlListener.defaultDirectory
    guard access(directory, F_OK) == 0 else {
        log.notice("no \(directory), no control socket; create it, or name a socket with --control")
        return (nil, nil)
    }
    do throws(ReaderdError) { return (try ControlListener.listen(at: path), nil) } catch {
        return (nil, "\(error)")
    }
}
