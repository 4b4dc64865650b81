import AccessProtocol
import Peripheral
import Reader
import Timekeeping

/// A whole reader, phones that show forged tokens, and what keeps its log. No door opens but for a token that may open
/// it, every request is answered once, and nothing refused is let in.
struct TokenRig: ~Copyable, TimedRig {
    private struct Place {
        var link: LinkID
        var phone: TokenPhone?
        /// Who was refused when the token was shown.
        var blacklist = Blacklist()
        var clock: CivilTime?
        var isSilent = false
    }

    private var reader: AccessReader
    private var port = TokenPort()
    private var random = FuzzRandom()
    var now = Instant.origin
    private var epochSeconds: Int64? = TokenRig.noon
    private var places: [Place?] = [nil, nil, nil, nil]
    private var generation: UInt32 = 0
    private var openRequests: [OpenRequest] = []
    private var storageRequests: [StorageRequest] = []
    /// How often somebody was let in.
    private var grants = 0
    private let isAudited: Bool
    private var isEnding = false

    /// 2026-05-06 12:00:00 UTC, a Wednesday.
    private static let noon: Int64 = 1_778_068_800

    init(isAudited: Bool, reArms: Bool, isRestoring: Bool) {
        self.isAudited = isAudited
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 2), gate: nil)
        ])
        configuration.isAudited = isAudited
        configuration.maximumLinks = 4
        if !reArms { configuration.reArm = .zero }
        configuration.credentials.groups = [DoorGroup(id: 7)]
        configuration.credentials.secureIdentifiers = Set(
            [OSSCredentialID(ForgedCredential.names[0])].compactMap(\.self))
        configuration.blacklistCapacity = 8
        reader = AccessReader(
            configuration: configuration, identity: TokenRig.identity, table: FuzzTable.access,
            door: DoorConfiguration())
        reader.startDoor(at: now)
        if isRestoring { reader.awaitRestoration() }
        settle()
    }

    private static let identity = certain {
        try ReaderIdentity(
            deviceID: "wa0y1YwS", terminalKey: QuickPrivateKey(), signatureKey: QuickSignatureKey())
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: epochSeconds) }
    private var clock: CivilTime? { epochSeconds.map { CivilTime(epochSeconds: $0) } }

    var deadline: Instant? { reader.nextDeadline }

    mutating func reach(_ instant: Instant) {
        reader.advance(to: moment, port: &port)
        settle()
    }

    // MARK: Phones

    /// A phone shows the token that the input describes; it connects first if it has to.
    mutating func show(_ input: inout FuzzInput, on place: Int, cutInto size: Int) {
        let token = ForgedToken(&input, clock: clock)
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
        guard let request = places[place]?.phone?.request() else { return }
        let clock = clock
        places[place]?.blacklist = reader.blacklist
        places[place]?.clock = clock
        let asked = openRequests.count
        // What was meant for another time is for nobody to judge.
        if let phone = places[place]?.phone, phone.token.clock != clock { places[place]?.phone?.token.mayAct = nil }
        let mayAct = places[place]?.phone?.token.mayAct ?? true
        let former = grants
        write(request, place, size)
        require(mayAct || grants == former && openRequests.count == asked, "a token that may not act lets somebody in")
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

    mutating func decideOpenings(_ choice: UInt8) {
        let status = [StatusCode.ok, .unavailable, .storageFull, .ok][Int(choice & 3)]
        let requests = openRequests
        openRequests = []
        for request in choice & 4 == 0 ? requests : requests.reversed() {
            let former = grants
            reader.decideOpening(request.id, status, port: &port, at: moment)
            settle()
            require(status == .ok || grants == former, "let in, and it could not be recorded")
        }
    }

    mutating func answerStorage(_ choice: UInt8, _ input: inout FuzzInput) {
        let requests = storageRequests
        storageRequests = []
        for request in requests {
            guard let id = request.id else { continue }
            let answer: StorageAnswer =
                choice & 3 == 3 ? .failed(.storageFull) : TokenRecords.answer(to: request.work, &input)
            let former = grants
            reader.answerStorage(id, answer, port: &port, at: moment)
            settle()
            require(grants == former, "an answer of the disk lets somebody in")
        }
    }

    mutating func restore(_ choice: UInt8) {
        let row = BlacklistRow(
            credential: ForgedCredential.names[Int(choice & 3)], until: CivilTime(epochSeconds: Int64(choice) << 24))
        _ = reader.restore(choice & 4 == 0 ? [row] : [], at: moment)
        settle()
    }

    // MARK: What happens around it

    mutating func setClock(_ choice: UInt8, _ input: inout FuzzInput) {
        switch choice & 3 {
        case 0: epochSeconds = nil
        case 1: epochSeconds = Int64(input.word()) << 17
        default: epochSeconds = TokenRig.noon + Int64(input.octet()) * 3600
        }
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
        while let notice = reader.nextNotice() { look(at: notice) }
        for action in reader.doorActions where action == .setLock(energised: true) {
            require(grants > former && !wasLocked, "the lock has current, and nobody was let in")
        }
        reader.doorActions.removeAll(keepingCapacity: true)
        openRequests += reader.openRequests
        reader.openRequests.removeAll(keepingCapacity: true)
        storageRequests += reader.storageRequests
        for request in reader.storageRequests { TokenRecords.check(request) }
        reader.storageRequests.removeAll(keepingCapacity: true)
        for event in reader.auditEvents { TokenRecords.check(event) }
        reader.auditEvents.removeAll(keepingCapacity: true)
        hear()
        close()
    }

    private mutating func look(at notice: ReaderNotice) {
        require(!notice.description.isEmpty, "a notice without a word")
        switch notice {
        case .executed(let link, let credential, let command, let status):
            guard status == .ok else { return }
            require(!isRefused(credential, link), "\(command) is done for a credential that is refused")
            if CommandName(rawValue: command).opensDoor { grants += 1 }
        case .decided(let link, let decision, let told):
            guard decision.isGranted else { return }
            require(told == .ok, "let in, and told \(told)")
            require(!isRefused(decision.credentialID?.text ?? "", link), "a credential that is refused is let in")
            require(place(of: link).map { $0.clock != nil } ?? true, "let in without a clock")
            grants += 1
        case .messageRefused(let link, _, told: false):
            for place in places.indices where places[place]?.link == link { places[place]?.isSilent = true }
        default: break
        }
    }

    private func place(of link: LinkID) -> Place? { places.lazy.compactMap(\.self).first { $0.link == link } }

    /// Whether the credential was refused when it was shown.
    private func isRefused(_ credential: String, _ link: LinkID) -> Bool {
        guard let shown = place(of: link), let name = OSSCredentialID(credential) else { return false }
        return shown.blacklist.contains(name, at: shown.clock)
    }

    /// Phones take what the reader has sent; one that has its answer is done.
    private mutating func hear() {
        for (link, frame) in port.sent {
            guard let place = places.firstIndex(where: { $0?.link == link }) else { continue }
            places[place]?.phone?.hear(frame)
            guard let phone = places[place]?.phone, let answer = phone.answer else { continue }
            if case .result(let data) = answer {
                require(phone.token.mayAct ?? true, "a result for a token that may not act")
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
        _ = reader.restore([], at: moment)
        reader.blacklist.removeAll()
        lockdown(false)
        epochSeconds = TokenRig.noon
        show(ForgedToken.ping, on: 0, cutInto: 244)
        require(places[0]?.phone == nil, "a sound phone gets no answer")
    }
}
