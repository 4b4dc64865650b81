// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Reader
import TestSupport
import Timekeeping

/// A whole reader with its clock, phones that show forged tokens, and what keeps its log. No door opens but for a token
/// that may open it, nobody moves the clock but who may, every request is answered once, and nothing refused is let in.
struct TokenRig: ~Copyable, TimedRig {
    private struct Place {
        var link: LinkID
        var phone: TokenPhone?
        var isSilent = false
    }

    /// The token of a phone, and the reasons for which it may not act or open; nil where it may.
    private struct Shown {
        var token: ForgedToken
        var oracle: TokenOracle
        var reasonNotToAnswer: String?
        var reasonNotToOpen: String?
    }

    private var reader: AccessReader
    private var port = TokenPort()
    private var random = CountingRandom()
    private var clock: RigClock
    var now = Instant.origin { didSet { clock.pass(to: now) } }
    private var places: [Place?] = [nil, nil, nil, nil]
    private var generation: UInt32 = 0
    /// The last token of each link, ended ones included: a door may open for a person who has left.
    private var shown: [LinkID: Shown] = [:]
    /// The link whose request the reader is looking at.
    private var asking: LinkID?
    private var effects: [ReaderEffect] = []
    private var storageRequests: [StorageRequest] = []
    private var disk = RefusedRows()
    private var isPolicyKnown = true
    /// The number of times that the door was opened.
    private var grants = 0
    private let configuration: AccessConfiguration
    private var isEnding = false

    init(isAudited: Bool, reArms: Bool, isRestoring: Bool, blacklistCapacity: Int, isClockSet: Bool) {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 2), gate: nil)
        ])
        configuration.isAudited = isAudited
        configuration.maximumLinks = 4
        if !reArms { configuration.reArm = .zero }
        configuration.credentials.groups = [DoorGroup(id: 7)]
        configuration.credentials.secureIdentifiers = Set(
            [OSSCredentialID(ForgedCredential.names[0])].compactMap(\.self))
        configuration.blacklistCapacity = blacklistCapacity
        // None of what decides who may open, and when.
        configuration.pushable = [.pulse, .extended, .maximumConnection, .advertisingInterval, .carriedBlacklist]
        self.configuration = configuration
        clock = RigClock(isSet: isClockSet)
        reader = TokenRig.reader(configuration)
        reader.startDoor(at: now)
        if isRestoring { forgetPolicy() }
        settle()
    }

    private static func reader(_ configuration: AccessConfiguration) -> AccessReader {
        AccessReader(
            configuration: configuration, identity: TokenRig.identity, table: FuzzTable.access,
            door: DoorConfiguration())
    }

    private static let identity = certain {
        try ReaderIdentity(
            deviceID: "wa0y1YwS", terminalKey: QuickPrivateKey(), signatureKey: QuickSignatureKey())
    }

    private var moment: Moment { clock.moment(at: now) }

    var deadline: Instant? { reader.nextDeadline }

    mutating func reach(_ instant: Instant) {
        reader.advance(to: moment, port: &port)
        settle()
    }

    // MARK: Phones

    /// A phone shows the token that the input describes; it connects first if it has to.
    mutating func show(_ input: inout FuzzInput, on place: Int, cutInto size: Int) {
        let token = ForgedToken(&input)
        guard places[place]?.phone == nil else { return }
        show(token, on: place, cutInto: size)
    }

    private mutating func show(_ token: ForgedToken, on place: Int, cutInto size: Int) {
        if places[place] == nil { connect(place) }
        guard var shown = places[place] else { return }
        shown.phone = TokenPhone(token)
        shown.isSilent = false
        places[place] = shown
        write(FuzzHandset.handshake, place, size)
        // The answer to the handshake may be held back by the host.
        ask(place, size)
    }

    private mutating func ask(_ place: Int, _ size: Int) {
        guard let link = places[place]?.link, let request = places[place]?.phone?.request(),
            let token = places[place]?.phone?.token
        else { return }
        let oracle = oracle
        let (mayNotAct, mayNotOpen) = (oracle.reasonNotToAnswer(token), oracle.reasonNotToOpen(token))
        shown[link] = Shown(
            token: token, oracle: oracle, reasonNotToAnswer: mayNotAct, reasonNotToOpen: mayNotOpen)
        let (former, asked) = (grants, openRequests.count)
        asking = link
        write(request, place, size)
        asking = nil
        // An update waits for its record as an opening does.
        let isUpdate = token.command?.equivalent == .bootLoader
        guard let reason = isUpdate ? mayNotAct : mayNotOpen else { return }
        require(grants == former && openRequests.count == asked, "somebody is to be let in, and must not: \(reason)")
    }

    /// The rules and the state by which tokens are judged now.
    private var oracle: TokenOracle {
        let pending = storageRequests.compactMap { request in
            if case .blacklist(let change) = request.work { change } else { nil }
        }
        return TokenOracle(
            clock: clock.account, isPolicyKnown: isPolicyKnown,
            refused: disk.names(pending: pending, reached: clock.account.reached))
    }

    private mutating func connect(_ place: Int) {
        generation += 1
        let link = LinkID(slot: place, generation: generation)
        places[place] = Place(link: link)
        let description = LinkDescription(
            peer: .randomStatic(from: UInt64(generation)), advertisingSet: 0, interval: .milliseconds(30))
        receive(.connected(link, description))
    }

    private mutating func write(_ message: [UInt8], _ place: Int, _ size: Int) {
        guard let link = places[place]?.link else { return }
        let size = min(size, port.mtu - 3)
        for start in stride(from: 0, to: message.count, by: size) {
            port.eventOctets = Array(message[start..<min(start + size, message.count)])
            receive(.written(link, FuzzTable.access.services[0].rx, value: 0..<port.eventOctets.count))
        }
    }

    mutating func hangUp(_ place: Int) {
        guard let link = places[place]?.link else { return }
        places[place] = nil
        receive(.disconnected(link, reason: .remoteUserTerminated))
    }

    private mutating func receive(_ event: HostEvent) {
        reader.receive(event, port: &port, random: &random, at: moment)
        settle()
    }

    // MARK: Who keeps the log

    private var openRequests: [OpeningToken] { reader.ledger.waiting.map(\.token) }

    mutating func decideOpenings(_ choice: UInt8) {
        let status = [StatusCode.ok, .unavailable, .storageFull, .ok][Int(choice & 3)]
        let requests = openRequests
        for request in choice & 4 == 0 ? requests : requests.reversed() {
            let former = grants
            reader.decide(request, status, at: moment)
            reader.answerOpenings(port: &port, at: moment)
            settle()
            require(status == .ok || grants == former, "let in, and it could not be recorded")
        }
    }

    mutating func answerStorage(_ choice: UInt8, _ input: inout FuzzInput) {
        let requests = storageRequests
        for (number, request) in requests.enumerated() {
            storageRequests.removeFirst()
            let isTaken = request.id == nil || choice & 3 < 2 || choice & 3 == 2 && number & 1 == 0
            if isTaken, case .blacklist(let change) = request.work { disk.apply(change) }
            guard let id = request.id else { continue }
            let answer = isTaken ? TokenRecords.answer(to: request.work, &input) : .failed(.storageFull)
            let former = grants
            reader.answerStorage(id, answer, port: &port, at: moment)
            settle()
            require(grants == former, "an answer of the disk lets somebody in")
        }
    }

    /// The kept policy becomes known, with one more refused credential.
    mutating func restore(_ choice: UInt8) {
        if choice & 4 == 0, disk.rows.count < configuration.blacklistCapacity {
            disk.add(
                BlacklistRow(
                    credential: ForgedCredential.names[Int(choice & 3)],
                    until: CivilTime(epochSeconds: Int64(choice) << 24)))
        }
        learnPolicy()
    }

    private mutating func learnPolicy() {
        if !isPolicyKnown { clock.restore(at: now) }
        isPolicyKnown = true
        disk.wereRestored(leftOut: reader.restore(disk.rows, at: moment))
        settle()
    }

    private mutating func forgetPolicy() {
        isPolicyKnown = false
        clock.restart(.unknown, isSystemLost: false, at: now)
        reader.awaitRestoration()
    }

    // MARK: What happens around it

    /// The reader starts again: with what was kept, without the policy, or with one that an operator has begun. What
    /// the disk has not acknowledged is lost.
    mutating func restart(_ choice: UInt8, _ input: inout FuzzInput) {
        for place in places.indices { places[place] = nil }
        (storageRequests, port.sent, port.closing) = ([], [], [])
        (isEnding, isPolicyKnown) = (false, true)
        reader = TokenRig.reader(configuration)
        reader.startDoor(at: now)
        reader.awaitRestoration()
        settle()
        switch choice & 3 {
        case 0: clock.restart(.kept, isSystemLost: true, at: now)
        case 1: clock.restart(.kept, isSystemLost: false, at: now)
        case 2:
            clock.restart(.unknown, isSystemLost: input.octet() & 1 == 1, at: now)
            isPolicyKnown = false
            return
        default:
            clock.restart(.none, isSystemLost: input.octet() & 1 == 1, at: now)
            disk = RefusedRows()
        }
        learnPolicy()
    }

    /// The system's clock or an operator says another time.
    mutating func moveClock(_ choice: UInt8, _ input: inout FuzzInput) {
        let shift = ForgedToken.shift(&input)
        switch choice & 3 {
        case 0: clock.stepSystem(by: shift, at: now)
        case 1: clock.synchronise(to: RigClock.noon + shift, at: now)
        case 2: _ = clock.set(to: RigClock.noon + shift, by: .operatorLocally, at: now)
        default: clock.stepSystem(by: 0, at: now)
        }
    }

    /// The shell looks at the system's clock.
    mutating func observe() { clock.observe(at: now) }

    /// A command of a phone sets the clock: that is answered at once.
    private mutating func setClock(_ request: StorageRequest, to time: Int64, by authority: ReaderClock.Authority) {
        guard let link = asking, let shown = shown[link] else { finding("the clock is to be set, and nobody asked") }
        let reason = shown.oracle.reasonNotToSet(time, by: authority, shown.token)
        if let reason { finding("a phone may set the clock, and must not: \(reason)") }
        let outcome = clock.set(to: time, by: authority, at: now)
        guard let id = request.id else { return }
        reader.answerStorage(id, .clock(outcome), port: &port, at: moment)
        settle()
    }

    mutating func lockdown(_ isActive: Bool) {
        reader.lockdown(isActive, at: moment)
        settle()
    }

    mutating func tamper(_ isActive: Bool) {
        reader.doorLine(.tamper, isActive: isActive, since: now, at: moment)
        settle()
    }

    /// Of links to come: none gets a smaller one while it is up.
    mutating func setMTU(_ mtu: Int) {
        if places.allSatisfy({ $0 == nil }) { port.mtu = mtu }
    }

    /// The host has no room, or has room again.
    mutating func hold(_ isHeld: Bool) {
        port.isBusy = isHeld
        guard !isHeld else { return }
        for place in places.indices {
            guard let link = places[place]?.link else { continue }
            receive(.writable(link))
            ask(place, 244)
        }
    }

    mutating func shutDown() {
        reader.shutDown(port: &port, at: now)
        isEnding = true
        settle()
    }

    // MARK: What comes of it

    private mutating func settle() {
        let wasLocked = reader.doorStatus.state == .lockdown
        let former = grants
        reader.takeEffects(into: &effects)
        let effects = effects
        for case .notice(let notice) in effects { look(at: notice) }
        for effect in effects {
            switch effect {
            case .door(.setLock(energised: true), _):
                require(grants > former && !wasLocked, "the lock has current, and nobody was let in")
            case .recorded(let event): TokenRecords.check(event)
            default: break
            }
        }
        for (_, event) in reader.ledger.waiting { TokenRecords.check(event) }
        // The clock is set at once, and what comes of that is settled in its turn.
        for case .store(let request) in effects { receive(request) }
        receiveFrames()
        close()
    }

    private mutating func receive(_ request: StorageRequest) {
        TokenRecords.check(request)
        switch request.work {
        case .clock(let time, let authority): return setClock(request, to: time, by: authority)
        case .setting(PushedConfiguration.setting, _):
            require(clock.account.shown != nil, "a configuration is taken, and nobody knows the time")
        default: break
        }
        storageRequests.append(request)
    }

    private mutating func look(at notice: ReaderNotice) {
        require(!notice.description.isEmpty, "a notice without a word")
        switch notice {
        case .executed(let phone, _, let command, let status):
            guard status == .ok else { return }
            let link = TokenRig.link(of: phone)
            if let reason = shown[link]?.reasonNotToAnswer { finding("\(command) is done, and must not be: \(reason)") }
            if TokenOracle.opening.contains(command) { letIn(link) }
            // Without a store the list in memory is the only one, and is empty at once.
            if !configuration.isAudited, command == CommandName.blacklistClear.rawValue { disk.apply(.clear) }
        case .decided(let phone, let decision, let told):
            guard decision.isGranted else { return }
            let link = TokenRig.link(of: phone)
            require(told == .ok, "let in, and told \(told)")
            letIn(link)
        case .messageRefused(let phone, _, told: false):
            let link = TokenRig.link(of: phone)
            for place in places.indices where places[place]?.link == link { places[place]?.isSilent = true }
        default: break
        }
    }

    /// All phones here come over Bluetooth LE.
    private static func link(of phone: PhoneID) -> LinkID {
        guard let link = phone.link else { finding("\(phone) has no link") }
        return link
    }

    private mutating func letIn(_ link: LinkID) {
        guard let shown = shown[link] else { finding("somebody is let in who has shown nothing") }
        if let reason = shown.reasonNotToOpen { finding("somebody is let in, and must not be: \(reason)") }
        grants += 1
    }

    /// Phones take what the reader has sent; one that has its answer is done.
    private mutating func receiveFrames() {
        for (link, frame) in port.sent {
            guard let place = places.firstIndex(where: { $0?.link == link }) else { continue }
            places[place]?.phone?.receive(frame)
            guard let phone = places[place]?.phone, let answer = phone.answer else { continue }
            if case .result(let data) = answer {
                if let reason = shown[link]?.reasonNotToAnswer { finding("a result, and must not be: \(reason)") }
                phone.check(data)
            }
            places[place]?.phone = nil
        }
        port.sent.removeAll(keepingCapacity: true)
    }

    /// Links that the reader ends are gone.
    private mutating func close() {
        let closing = port.closing
        port.closing = []
        for link in closing {
            for place in places.indices where places[place]?.link == link { places[place] = nil }
            receive(.disconnected(link, reason: .localHostTerminated))
        }
    }

    /// Left alone, with a disk that answers, every phone has its answer; and a sound one after them.
    mutating func rest() {
        hold(false)
        setMTU(247)
        var none = FuzzInput([])
        for _ in 0..<8 {
            decideOpenings(0)
            answerStorage(0, &none)
        }
        for place in places.indices {
            guard let phone = places[place]?.phone, phone.hasAsked else { continue }
            require(places[place]?.isSilent ?? true, "a request without an answer")
        }
        for place in places.indices { hangUp(place) }
        pass(.seconds(4))
        guard !isEnding else { return }
        learnPolicy()
        disk = RefusedRows()
        reader.blacklist.removeAll()
        lockdown(false)
        clock.synchronise(to: RigClock.noon, at: now)
        show(ForgedToken.ping, on: 0, cutInto: 244)
        require(places[0]?.phone == nil, "a sound phone gets no answer")
        let former = grants
        show(ForgedToken.credential, on: 0, cutInto: 244)
        decideOpenings(0)
        require(places[0]?.phone == nil && grants == former + 1, "a sound credential lets nobody in")
    }
}
