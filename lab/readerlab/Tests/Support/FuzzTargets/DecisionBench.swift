// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Reader
import Timekeeping

/// Decisions about credentials whose signature nobody has asked for, against an oracle that reads the octets its own
/// way.
struct DecisionBench {
    private var policy: CredentialPolicy
    private var blacklist: Blacklist
    private let clock: LocalClock
    /// The latest time that the clock has shown, and the earliest that it can be, where phones have moved it.
    private let bounds: (latest: CivilTime, earliest: CivilTime)?
    private let door: DoorState

    init(_ input: inout FuzzInput) {
        let choice = input.octet()
        policy = CredentialPolicy(siteID: 1, doorID: 1)
        if choice & 1 == 0 { policy.groups = [DoorGroup(id: 7, schedules: DecisionBench.schedules(&input))] }
        policy.takesStandardOffline = choice & 6 != 6
        policy.takesCarriedBlacklist = choice & 8 == 0
        policy.takesMasterGroup = choice & 2 == 0
        policy.takesInterventionMedia = choice & 0x20 == 0
        blacklist = Blacklist(capacity: choice & 0x10 == 0 ? 64 : 2)
        door = [.secured, .unlocked, .passage, .lockdown][Int(choice >> 6)]
        clock = DecisionBench.clock(&input)
        bounds = if case .moved(_, let earliest, let latest) = clock { (latest, earliest) } else { nil }
        for _ in 0..<input.number(below: 3) { refuse(input.octet()) }
    }

    private static func schedules(_ input: inout FuzzInput) -> [DoorGroup.Schedule] {
        (0..<input.number(below: 3)).compactMap { _ in
            let (first, last) = (Int(input.word()), Int(input.word()))
            do throws(StatusCode) {
                let period = try OSSTimePeriod(
                    fromHour: input.octet(), fromMinute: 0, toHour: input.octet(), toMinute: 0)
                return DoorGroup.Schedule(firstDay: first, lastDay: last, weekdays: input.octet(), period: period)
            } catch {
                return nil
            }
        }
    }

    /// No time, one that is none, or any; most often the same Wednesday at noon.
    private static func clock(_ input: inout FuzzInput) -> LocalClock {
        switch input.octet() {
        case 0: return .unset
        case 1:
            let time = CivilTime(
                year: Int(input.word()), month: Int(input.octet()), day: Int(input.octet()),
                hour: Int(input.octet()), minute: Int(input.octet()), second: Int(input.octet()))
            return .uncertain(time)
        case 2: return .certain(CivilTime(epochSeconds: Int64(input.word()) << 17))
        case 3: return .uncertain(CivilTime(epochSeconds: -Int64(input.word()) << 17))
        case 4:
            let now = RigClock.noon + ForgedToken.shift(&input)
            let earliest = now - abs(ForgedToken.shift(&input))
            let latest = now + abs(ForgedToken.shift(&input))
            return .moved(
                CivilTime(epochSeconds: now), earliest: CivilTime(epochSeconds: earliest),
                latest: CivilTime(epochSeconds: latest))
        default: return .certain(CivilTime(epochSeconds: RigClock.noon))
        }
    }

    private mutating func refuse(_ number: UInt8) {
        guard let name = OSSCredentialID(ForgedCredential.names[Int(number) % ForgedCredential.names.count]) else {
            return
        }
        let end = number & 0x80 == 0 ? nil : CivilTime(epochSeconds: Int64(number) << 24)
        blacklist.insert(Blacklist.Entry(credentialID: name, expiresAt: end), at: nil)
    }

    // MARK: Decisions

    /// Decides about the files, and about them with octets that do not belong there.
    mutating func decide(_ files: ForgedCredential) {
        guard let message = files.message else { return }
        let before = blacklist
        let decision = decide(message, &blacklist)
        check(decision, message, before: before)
        let reason = oracle(files, before).reason
        if let reason { require(!decision.isGranted, "it opens, and must not: \(reason)") }
        guard decision.isGranted else { return }
        for number in 0..<4 { checkGarbage(files, number, before) }
    }

    /// A Secure Identifier opens if it is listed and not refused.
    mutating func decide(secureIdentifier file: [UInt8], isListed: Bool) {
        guard let info = BoundedBytes<32>(copying: file.span) else { return }
        let name = ForgedCredential.names[0]
        policy.secureIdentifiers = isListed ? Set([OSSCredentialID(name)].compactMap(\.self)) : []
        let decision = policy.decide(OssSidMobile(infoFile: info), clock: clock, blacklist: blacklist)
        guard decision.isGranted else { return }
        require(isListed && decision.credentialID?.text == name, "it opens, and is not listed")
        require(clock.time != nil && !isRefused(name, blacklist), "it opens, and is refused")
        require(file.count == 13 || file.count == 32, "it opens with a file of \(file.count) octets")
    }

    private func decide(_ message: OssSoMobile, _ blacklist: inout Blacklist) -> CredentialDecision {
        var octets: [UInt8] = []
        message.encode(into: &octets)
        return certain {
            try policy.decide(unverified: octets.span, clock: clock, door: door, blacklist: &blacklist)
        }
    }

    private func oracle(_ files: ForgedCredential, _ blacklist: Blacklist) -> CredentialOracle {
        CredentialOracle(
            files: files, clock: clock.time, latest: bounds?.latest, site: policy.siteID, door: policy.doorID,
            groups: Set(policy.groups.map(\.id)), takesMasterGroup: policy.takesMasterGroup,
            takesInterventionMedia: policy.takesInterventionMedia,
            refused: Set(ForgedCredential.names.filter { isRefused($0, blacklist) }))
    }

    private func isRefused(_ name: String, _ blacklist: Blacklist) -> Bool {
        OSSCredentialID(name).map { blacklist.contains($0, at: bounds?.earliest ?? clock.time) } ?? false
    }

    private func check(_ decision: CredentialDecision, _ message: OssSoMobile, before: Blacklist) {
        require(decision.isGranted == (doorRequest(for: decision) != nil), "the door does otherwise than was decided")
        require(
            policy.takesStandardOffline || decision.outcome == .failed(.notSupported), "of a kind that is not taken")
        if case .failed = decision.outcome { require(decision.status != .ok, "a failure that is told as none") }
        require(!decision.isGranted || decision.status == .ok, "a grant that is told as a failure")
        require(decision.events.count <= 3, "\(decision.events.count) events of one decision")
        // What it carries is taken over afterwards, and changes nothing.
        var other = before
        var without = self
        without.policy.takesCarriedBlacklist.toggle()
        require(without.decide(message, &other).outcome == decision.outcome, "what it carries decides about it")
        require(blacklist.count <= max(blacklist.capacity, before.count), "more is refused than there is room for")
        for entry in decision.blacklistAdditions {
            require(blacklist.contains(entry.credentialID, at: nil), "told as refused, and is not")
        }
        require(!decision.blacklistAdditions.isEmpty || before.count >= blacklist.count, "refused, and nobody is told")
        checkAnswer(decision, message)
    }

    private func checkAnswer(_ decision: CredentialDecision, _ message: OssSoMobile) {
        let bearer = decision.isGranted ? CarriedEvents.Bearer.admitted : .refused(decision.credentialID)
        let events = CarriedEvents.choose(from: DecisionBench.events, for: message, to: bearer)
        require(events.count <= min(16, Int(message.requestedEventCount ?? 0)), "more events than were asked for")
        let result = OssAccessEventsResult(accessResult: decision.result(lock: .unlocked), events: events)
        require(result.accessResult.accessGranted == decision.isGranted, "the phone is told otherwise")
        require(result.delimitedCount <= 1792, "a result of \(result.delimitedCount) octets")
    }

    /// One octet more than the file has, and not zero: what follows a file in the signed octets belongs to the next.
    private func checkGarbage(_ files: ForgedCredential, _ number: Int, _ before: Blacklist) {
        guard let message = files.withFile(number, plus: 0xA5).message else { return }
        var blacklist = before
        let decision = decide(message, &blacklist)
        require(!decision.isGranted, "it opens with file \(number) that goes on")
        if number == 2 { require(blacklist == before, "a blacklist that goes on is taken over") }
    }

    /// As long as events get.
    private static let events: [Event] = (0..<64).map { index in
        Event(
            sequenceId: .max,
            eventTime: LocalTimestamp(
                year: .max, month: .max, date: .max, hours: .max, minutes: .max, seconds: .max),
            eventId: EventId(rawValue: Int32(index % 16)), eventInfo: .min,
            credentialId: BoundedBytes<10>(copying: [10 of UInt8](repeating: 0x41).span).map { CredentialId(id: $0) },
            command: BoundedBytes<8>(copying: [8 of UInt8](repeating: 0x41).span))
    }
}
