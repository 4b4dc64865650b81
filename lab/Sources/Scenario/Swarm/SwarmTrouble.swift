// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import SeededNumbers
import Timekeeping
import VirtualRadio

/// A scenario to which kinds of trouble are added, each with its own random numbers.
struct SwarmTrouble {
    private(set) var scenario = SiteScenario()
    /// The end of all trouble so far, in ms.
    private var end = 1000

    /// A reader of any kind.
    init(reader choices: SeededGenerator) {
        var choices = choices
        scenario.links = choices.between(1...4)
        if choices.happens(0.3) { scenario.controller = .legacy }
        scenario.door.pulse = .seconds(choices.between(1...5))
        if choices.happens(0.3) { scenario.door.tamper = .record }
    }

    /// The scenario with the good phone, after all trouble.
    func ended(patience: Duration) -> SiteScenario {
        var scenario = scenario
        let arrival = Duration.milliseconds(end) + Swarm.rest
        var good = SiteScenario.Phone(name: Swarm.goodPhone, walk: .standing(from: arrival, -45))
        good.credential.id = "GOOD000001"
        good.expected = .init(results: [.opened], within: patience)
        scenario.phones.append(good)
        scenario.end = .seconds((arrival + patience).wholeMilliseconds / 1000 + 1)
        scenario.events = scenario.events.enumerated()
            .sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
        return scenario
    }

    mutating func add(_ kind: FaultKind, _ choices: SeededGenerator) {
        var choices = choices
        let begin = choices.between(500...9000)
        let lasting = choices.between(200...6000)
        switch kind {
        case .powerCut: span(begin, lasting, .power(false), .power(true))
        case .deadController: span(begin, lasting, .controller(isWorking: false), .controller(isWorking: true))
        case .noReception: span(begin, lasting, .loss(100), .loss(0))
        case .lostPackets: span(begin, lasting, .loss(choices.between(5...60)), .loss(0))
        case .lostClock: span(begin, lasting, .clock(isSet: false), .clock(isSet: true))
        case .lockdown: span(begin, lasting, .lockdown(true), .lockdown(false))
        case .operatorOpens: order(begin, .open)
        case .doorForced, .doorHeld, .contactBounces: addContact(kind, begin, lasting, &choices)
        case .exit, .exitStuck, .exitSpikes, .fire, .tamper, .tamperBlock: addInput(kind, begin, lasting, &choices)
        case .revoked, .stranger, .expired, .early, .fullPool, .passersBy, .cutOff, .rush:
            addPeople(kind, begin, lasting, &choices)
        }
    }

    private mutating func addContact(
        _ kind: FaultKind, _ begin: Int, _ lasting: Int, _ choices: inout SeededGenerator
    ) {
        order(0, .line(.contact, isActive: false))
        switch kind {
        case .doorHeld:
            order(begin, .open)
            let permitted = scenario.door.contact.permittedOpen.wholeMilliseconds
            let open = Int(permitted) + choices.between(500...3000)
            span(begin + 500, open, .line(.contact, isActive: true), .line(.contact, isActive: false))
        case .contactBounces: bounce(.contact, begin, choices.between(3...8), &choices)
        default: span(begin, lasting, .line(.contact, isActive: true), .line(.contact, isActive: false))
        }
    }

    private mutating func addInput(
        _ kind: FaultKind, _ begin: Int, _ lasting: Int, _ choices: inout SeededGenerator
    ) {
        switch kind {
        case .exit: span(begin, choices.between(50...800), .line(.exit, isActive: true), .line(.exit, isActive: false))
        case .exitStuck: span(begin, 5000 + lasting, .line(.exit, isActive: true), .line(.exit, isActive: false))
        case .exitSpikes: bounce(.exit, begin, choices.between(1...5), &choices)
        case .fire: span(begin, lasting, .line(.fire, isActive: true), .line(.fire, isActive: false))
        default:
            if kind == .tamperBlock { scenario.door.tamper = .block }
            span(begin, lasting, .line(.tamper, isActive: true), .line(.tamper, isActive: false))
            order(begin + lasting + choices.between(100...1000), .resetTamper)
        }
    }

    private mutating func order(_ at: Int, _ order: SiteOrder) {
        scenario.events.append(.init(after: .milliseconds(at), order: order))
        end = max(end, at)
    }

    private mutating func span(_ begin: Int, _ lasting: Int, _ on: SiteOrder, _ off: SiteOrder) {
        order(begin, on)
        order(begin + lasting, off)
    }

    /// Changes of a line that are shorter than the debounce.
    private mutating func bounce(
        _ input: DoorInput, _ begin: Int, _ times: Int, _ choices: inout SeededGenerator
    ) {
        var at = begin
        for _ in 0..<times {
            let active = choices.between(1...15)
            span(at, active, .line(input, isActive: true), .line(input, isActive: false))
            at += active + choices.between(1...40)
        }
    }
}

/// People.
extension SwarmTrouble {
    private mutating func addPeople(
        _ kind: FaultKind, _ begin: Int, _ lasting: Int, _ choices: inout SeededGenerator
    ) {
        let count =
            switch kind {
            case .fullPool: scenario.links + choices.between(1...2)
            case .passersBy: choices.between(1...3)
            case .rush: choices.between(2...4)
            default: 1
            }
        for number in 1...count {
            var phone = SiteScenario.Phone(name: kind.name(number), walk: DistanceWalk([]))
            phone.credential.id = String((kind.rawValue.filter { $0 != "-" } + "00000000").prefix(9)) + "\(number)"
            restrict(&phone, kind, &choices)
            phone.walk = SwarmTrouble.way(kind, begin + choices.between(0...300), lasting, &choices)
            end = max(end, Int((phone.walk.points.last?.at ?? .zero).wholeMilliseconds))
            scenario.phones.append(phone)
            if kind == .revoked, let id = OSSCredentialID(phone.credential.id) { order(0, .blacklist(id)) }
        }
    }

    /// Gives a phone a credential that does not open.
    private func restrict(_ phone: inout SiteScenario.Phone, _ kind: FaultKind, _ choices: inout SeededGenerator) {
        switch kind {
        case .revoked: break
        case .stranger: phone.credential.isOfSite = false
        case .expired: phone.credential.validity.end = CivilTime(year: 2026, month: 11, day: 20, hour: 11, minute: 59)
        case .early: phone.credential.validity.start = CivilTime(year: 2026, month: 11, day: 20, hour: 13)
        default: return
        }
        phone.attempts = choices.between(1...3)
        phone.expected.results = [.denied, .refused, .unseen]
    }

    /// A way that ends out of range.
    private static func way(
        _ kind: FaultKind, _ begin: Int, _ lasting: Int, _ choices: inout SeededGenerator
    ) -> DistanceWalk {
        switch kind {
        case .passersBy:
            let (near, far) = (choices.between(5...50), choices.between(6...20))
            let half = choices.between(2000...6000)
            let points = [
                (begin, Double(far)), (begin + half, Double(near) / 10), (begin + 3 * half, Propagation.farthest),
            ]
            return DistanceWalk(
                points.map { .init(.milliseconds($0.0), .metres($0.1)) }, Propagation(exponent: 3))
        case .cutOff: return way(from: begin, choices.between(200...900), level: -45, leaving: 1)
        case .fullPool: return way(from: begin, 2000 + lasting, level: choices.between(-72 ... -66), leaving: 1000)
        default: return way(from: begin, 3000 + lasting, level: choices.between(-52 ... -42), leaving: 1000)
        }
    }

    /// A phone that stands, and leaves.
    private static func way(from begin: Int, _ standing: Int, level: Int, leaving: Int) -> DistanceWalk {
        let here = Int8(clamping: level)
        return DistanceWalk([
            .init(.milliseconds(begin), here), .init(.milliseconds(begin + standing), here),
            .init(.milliseconds(begin + standing + leaving), SwarmFairness.outOfRange),
        ])
    }
}

extension SeededGenerator {
    /// A number of a range.
    mutating func between(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(below(UInt64(range.count)))
    }
}
