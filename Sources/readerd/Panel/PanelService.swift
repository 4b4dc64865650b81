// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import OSDP
import Octets
import PanelLine
import Reader
import System
import Timekeeping

/// The reader as a peripheral device on a panel's line: port, device and timer, on the reactor's thread.
final class PanelService {
    /// The pause before a lost line is opened again.
    private static let reopening = Duration.seconds(1)
    /// The time for the last octets of a reply to leave the driver, beyond their own.
    private static let drain = Duration.milliseconds(5)
    /// The longest wait of the loop with a line: the age of its octets is known to two of these, a fifth of the time
    /// for an answer.
    private static let longestWait = Duration.milliseconds(20)

    let settings: ReaderSettings.OSDP
    let cards: PanelCard?
    /// The path of the line.
    let path: String
    var device: OSDPDevice
    let reactor: Reactor
    private let files: PanelFiles
    private let writer: FileWriter
    /// The file that the panel sends.
    let update: PanelUpdate
    private var random = SystemRandomSource()
    private var port: SerialPort?
    private var timer: Timer?
    private var reopener: Timer?
    private var tell: (PanelEvent) -> Void = { _ in }
    private var wasLost = false
    private var started = Instant.origin
    /// True if no panel had all rights for so long that it counts as silent.
    private(set) var isSilent = false
    /// The credentials of cards that the device has not reported yet, in their order.
    var waiting: [(card: OSDPCardData, credential: String)] = []
    /// The states that the device has; nil before the first.
    var states: PanelStates?
    private var signals: PanelSignals
    /// The octets of the last reply, and the speed at which it leaves.
    private var lastCount = 0
    private var speed: UInt32 = 9600
    /// The end of the installation window.
    private(set) var installationEnd: Instant?

    /// The faults of the files at the start, in one line; nil for none.
    private let damage: String?
    private let isKeyDamaged: Bool

    /// The configured device with the key and the line that a panel has set; nil without a line. `directory` is the
    /// state directory's path. A file that cannot be used does not end the reader: the configured line applies, and
    /// without its key the device obeys no panel, nor lets one set a key without a window.
    init?(
        _ settings: ReaderSettings.OSDP, _ gpio: ReaderSettings.GPIO, directory: String, serial: UInt32,
        _ reactor: Reactor
    ) {
        guard let path = settings.line else { return nil }
        self.path = path
        self.settings = settings
        cards = PanelCard(settings.cards)
        signals = PanelSignals(settings.mode)
        self.reactor = reactor
        writer = FileWriter(reactor)
        files = PanelFiles(directory: directory)
        update = PanelUpdate(files.update, writer)
        let kept = files.load()
        (damage, isKeyDamaged) = (kept.damage, kept.isKeyDamaged)
        var configuration = settings.device(serial: serial, keptLine: kept.line, gpio)
        // Clear text ended with the key.
        if isKeyDamaged { configuration.requiresKey = true }
        device = OSDPDevice(configuration, key: kept.key)
    }

    /// True if the key that a panel has set cannot be read, and no other was set since.
    var lacksItsKey: Bool { isKeyDamaged && !device.hasKey }

    /// True if the line is open.
    var isOpen: Bool { port != nil }

    /// True if the panel is present and reachable, and has all rights.
    var isAttended: Bool { isOpen && device.isTrusted }

    /// Opens the line, and passes each event to the handler. Without a key the configured window opens.
    func start(_ tell: @escaping (PanelEvent) -> Void) {
        self.tell = tell
        update.onChange = { [weak self] in self?.tell(.update($0)) }
        update.onEnd = { [weak self] in self?.device.fileEnded($0) }
        started = reactor.now
        reactor.longestWait = min(reactor.longestWait ?? PanelService.longestWait, PanelService.longestWait)
        if let damage { tell(.damaged(damage)) }
        if settings.installSeconds > 0, !device.hasKey, !lacksItsKey { openInstallation(for: settings.installSeconds) }
        open()
        settle()
    }

    /// Releases the line. Cards that the panel does not have are dropped.
    func close() {
        for card in waiting { tell(.cardDropped(card.credential)) }
        tell = { _ in }
        drop()
        timer?.cancel()
        reopener?.cancel()
    }

    // MARK: - Line

    private func open() {
        do throws(SerialPort.Failure) {
            let port = try SerialPort(path, speed: device.line.speed, turns: settings.turnsLine)
            try port.watch(on: reactor) { [weak self] in self?.serve() }
            self.port = port
            speed = device.line.speed
            tell(.opened(isBack: wasLost))
            wasLost = false
        } catch {
            lose("\(error)")
        }
    }

    private func serve() {
        guard let port else { return }
        guard let octets = port.read(), port.flush(at: reactor.now) else { return lose("\(path): the line is lost") }
        guard !octets.isEmpty else { return }
        let (now, age) = (reactor.now, reactor.inputAge)
        // More of the same may follow.
        if age > OSDPDevice.answerTime { port.discardInput() }
        device.fileDelay = update.delay
        device.holdsFile = update.isHandedOver
        act { device, random, effects in
            device.receive(octets.span, at: now, age: age, random: &random, effects: &effects)
        }
    }

    /// The device stays as it is: the panel may come back within its silence.
    private func lose(_ reason: String) {
        drop()
        if !wasLost { tell(.lost(reason)) }
        wasLost = true
        reopener = reactor.schedule(at: reactor.now + PanelService.reopening) { [weak self] in self?.open() }
    }

    private func drop() {
        port?.stop()
        port = nil
    }

    // MARK: - Device

    func act(_ body: (inout OSDPDevice, inout SystemRandomSource, inout [OSDPEffect]) -> Void) {
        var effects: [OSDPEffect] = []
        body(&device, &random, &effects)
        for effect in effects { perform(effect) }
        settle()
    }

    private func perform(_ effect: OSDPEffect) {
        switch effect {
        case .transmit(let octets, let end):
            lastCount = octets.count
            if let port, !port.send(octets, before: end, at: reactor.now) {
                lose("\(path): the line is lost, or takes nothing")
            }
        case .setLine(let line): follow(line)
        case .storeKey(let key): store(key)
        case .output(let output, let isOn): tell(.output(output, isOn: isOn))
        case .notice(let notice):
            switch notice {
            case .installationEnded: installationEnd = nil
            case .cardReported(let card): tell(.cardReported(removeWaiting(card)))
            case .cardDropped(let card): tell(.cardDropped(removeWaiting(card)))
            default: break
            }
            tell(.notice(notice))
        case .lights(let order): signals.apply(order, at: reactor.now)
        case .buzzer(let order): signals.apply(order, at: reactor.now)
        case .manufacturer(let message):
            if let question = message.data.first.flatMap(PanelQuestion.init(rawValue:)) { tell(.question(question)) }
        // A reader without such equipment; the device refuses what is not configured.
        case .text: break
        case .file(let part): update.receive(part)
        case .fileAborted: update.abort()
        }
    }

    func settle() {
        let now = reactor.now
        let end = max(started, device.lastTrusted ?? started) + OSDPDevice.silence
        let isNowSilent = end <= now
        if isNowSilent != isSilent {
            isSilent = isNowSilent
            if isSilent { signals.end() }
            tell(.silence(isSilent))
        }
        if let signs = signals.change(at: now) { tell(.signs(signs)) }
        timer?.cancel()
        let change = Instant.earlier(device.deadline, signals.nextChange(after: now))
        guard let deadline = Instant.earlier(change, isSilent ? nil : end) else { return }
        timer = reactor.schedule(at: deadline) { [weak self] in self?.expire() }
    }

    private func expire() {
        // The octets that have arrived were before the deadline.
        serve()
        let now = reactor.now
        act { device, _, effects in device.advance(to: now, effects: &effects) }
    }

    // MARK: - Key and line

    /// The reply waits for the disk on the writer's thread; the panel gets BUSY until then.
    private func store(_ key: OSDPKey) {
        let file = files.key
        writer.perform({ () throws(DurableFile.Failure) in try file.store(key) }) { [weak self] fault in
            self?.tell(.unkept(fault))
            guard let self else { return }
            let now = reactor.now
            act { device, _, effects in device.keyStored(fault == nil, at: now, effects: &effects) }
        }
    }

    /// The reply leaves at the old speed.
    private func follow(_ line: OSDPLine) {
        let time = Duration.milliseconds(lastCount * 10 * 1000 / Int(speed))
        reactor.schedule(at: reactor.now + time + PanelService.drain) { [weak self] in
            guard let self else { return }
            speed = device.line.speed
            // A line that is lost is opened again at the new speed.
            do throws(SerialPort.Failure) { try port?.setSpeed(speed) } catch { lose("\(error)") }
        }
        tell(.line(line))
        let file = files.line
        writer.perform({ () throws(DurableFile.Failure) in try file.store(line) }) { [weak self] fault in
            self?.tell(.unkept(fault))
        }
    }

    // MARK: - Installation

    /// Lets the panel set a key under the published default key.
    func openInstallation(for seconds: Int) {
        let end = reactor.now + .seconds(seconds)
        installationEnd = end
        device.openInstallation(until: end)
        tell(.installing(seconds))
        settle()
    }

    /// Ends that at once; false if there is no window.
    func closeInstallation() -> Bool {
        guard device.isInstalling else { return false }
        act { device, _, effects in device.closeInstallation(effects: &effects) }
        return true
    }
}
