// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
public import JSON
import Phone
import Proximity
import Reader
import Timekeeping
import VirtualRadio

/// A scenario as a file (docs/emulators/scenarios.md, docs/scenario.schema.json).
extension SiteScenario {
    /// The maximum length of a file in octets.
    public static let maximumFileCount = 262_144
    /// The maximum number of phones: more than a reader hears at once.
    public static let maximumPhones = 1000
    /// The maximum number of cards.
    public static let maximumCards = 100
    /// The maximum number of points of a way, and of orders.
    public static let maximumPoints = 1000
    /// The maximum number of readers: the gates of a stadium.
    public static let maximumReaders = 64
    /// The maximum number of walls.
    public static let maximumWalls = 1000
    /// The coordinates of a floor plan in metres, within the model's range.
    public static let floor = -Propagation.farthest...Propagation.farthest
    /// The latest time in a scenario: a day.
    public static let latest = 86_400_000

    /// Reads a file.
    ///
    /// - Throws: `JSONPlaceFault`, whose description is `LINE: place: problem`.
    public init(json: [UInt8]) throws(JSONPlaceFault) {
        guard json.count <= SiteScenario.maximumFileCount else {
            throw JSONPlaceFault(line: 1, path: "", "has more than \(SiteScenario.maximumFileCount) octets")
        }
        self.init()
        let members = try JSONPlace(file: json).members([
            "about", "seconds", "start", "reader", "readers", "walls", "phones", "cards", "events", "expect",
        ])
        about = try members["about"]?.text() ?? ""
        if let place = members["seconds"] { end = .seconds(try place.number(1...SiteScenario.latest / 1000)) }
        if let place = members["start"] { start = try place.minute(.first) }
        try readReaders(members)
        for place in try members["walls"]?.list(SiteScenario.maximumWalls) ?? [] { walls.append(try Wall(place)) }
        let needsFloor = members["readers"] != nil
        for place in try members.required("phones").list(SiteScenario.maximumPhones) {
            phones.append(try Phone(place, readers: readers.map(\.name), needsFloor: needsFloor, end: end))
        }
        for place in try members["cards"]?.list(SiteScenario.maximumCards) ?? [] {
            cards.append(try Card(place, readers: readers.map(\.name), needsFloor: needsFloor, end: end))
        }
        if let twice = (phones.map(\.name) + cards.map(\.name)).firstRepeated {
            throw try (cards.isEmpty ? members.required("phones") : members.required("cards")).fault(
                "has \(twice.debugDescription) twice")
        }
        if let place = members["events"] {
            for place in try place.list(SiteScenario.maximumPoints) {
                events.append(try Event(place, readers: readers.map(\.name), end: end))
            }
        }
        if phones.isEmpty, cards.isEmpty, events.isEmpty {
            throw try members.required("phones").fault("is empty, and there are no events: nothing happens; add one")
        }
        events = events.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(
            \.element)
        if let place = members["expect"] { try readExpectations(place) }
    }

    /// Either `reader`, the only one, or `readers` with names and places.
    private mutating func readReaders(_ members: JSONMembers) throws(JSONPlaceFault) {
        guard let several = members["readers"] else {
            if let place = members["reader"] { readers = [try Reader(place, isOnly: true)] }
            return
        }
        if let place = members["reader"] { throw place.fault("is there beside \"readers\"; leave one out") }
        readers = []
        for place in try several.list(SiteScenario.maximumReaders) {
            readers.append(try Reader(place, isOnly: false))
        }
        guard !readers.isEmpty else {
            throw several.fault("has no reader; write {\"name\": \"north\", \"at\": [0, 0]}")
        }
        if let twice = readers.map(\.name).firstRepeated {
            throw several.fault("has \(twice.debugDescription) twice")
        }
    }

    private mutating func readExpectations(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["openings", "told"])
        openings = try members["openings"].map { place throws(JSONPlaceFault) in try place.number(0...100_000) }
        for place in try members["told"]?.list(SiteScenario.maximumPoints) ?? [] { told.append(try place.text()) }
    }
}

extension SiteScenario.Reader {
    private static let settings = [
        "threshold-dbm", "max-path-loss-db", "window-ms", "links", "controller", "pulse-s", "tamper", "card-kinds",
        "ecp",
    ]

    fileprivate init(_ place: JSONPlace, isOnly: Bool) throws(JSONPlaceFault) {
        self.init()
        let settings = SiteScenario.Reader.settings
        let members = try place.members(isOnly ? settings : ["name", "at", "openings"] + settings)
        if !isOnly {
            name = try members.required("name").text()
            self.place = try FloorPoint(members.required("at"))
            openings = try members["openings"].map { place throws(JSONPlaceFault) in try place.number(0...100_000) }
        }
        if let place = members["threshold-dbm"] { gate.threshold = Int8(try place.number(-100...0)) }
        if let place = members["max-path-loss-db"] { gate.maximumPathLoss = try place.number(20...146) }
        if let place = members["window-ms"] { gate.window = .milliseconds(try place.number(50...5000)) }
        if let place = members["links"] { links = try place.number(1...7) }
        if let place = members["controller"] {
            let word = try place.word(["modern", "legacy", "power-control"])
            controller = word == "legacy" ? .legacy : .modern
            controller.powerControl = word == "power-control"
        }
        if let place = members["pulse-s"] { door.pulse = .seconds(try place.number(1...60)) }
        if let place = members["tamper"] {
            let word = try place.word(DoorConfiguration.TamperPolicy.allCases.map(\.rawValue))
            door.tamper = DoorConfiguration.TamperPolicy(rawValue: word) ?? door.tamper
        }
        if let place = members["card-kinds"] { try readKinds(place) }
        if let place = members["ecp"] {
            let word = try place.word(PollingFrame.allCases.map(\.rawValue))
            pollingFrame = PollingFrame(rawValue: word) ?? pollingFrame
        }
    }

    private mutating func readKinds(_ place: JSONPlace) throws(JSONPlaceFault) {
        cardKinds = []
        for place in try place.list(CardReading.readable.count) {
            let word = try place.word(CardReading.readable.map(\.rawValue))
            if let kind = CardKind(rawValue: word) { cardKinds.append(kind) }
        }
        if let twice = cardKinds.map(\.rawValue).firstRepeated {
            throw place.fault("has \(twice.debugDescription) twice")
        }
    }
}

extension FloorPoint {
    /// Two numbers in metres.
    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let numbers = try place.elements()
        guard numbers.count == 2 else { throw place.fault("is not two numbers in metres, as [3, 0.5]") }
        self.init(try numbers[0].decimal(SiteScenario.floor), try numbers[1].decimal(SiteScenario.floor))
    }
}

extension Wall {
    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["from", "to", "db"])
        self.init(
            from: try FloorPoint(members.required("from")), to: try FloorPoint(members.required("to")),
            attenuation: try members.required("db").decimal(0...150))
    }
}

extension SiteScenario.Event {
    fileprivate init(_ place: JSONPlace, readers: [String], end: Duration) throws(JSONPlaceFault) {
        let members = try place.members(["after-ms", "do", "reader"])
        reader = try members["reader"]?.word(readers)
        let time = try members.required("after-ms")
        after = .milliseconds(try time.number(0...SiteScenario.latest))
        guard after <= end else { throw time.isAfter(end) }
        let action = try members.required("do")
        let line = try action.text()
        do throws(SiteOrderFault) { order = try SiteOrder(line: line) } catch {
            throw action.fault(error.description)
        }
    }
}

extension SiteScenario.Phone {
    fileprivate init(
        _ place: JSONPlace, readers: [String], needsFloor: Bool, end: Duration
    ) throws(JSONPlaceFault) {
        let members = try place.members([
            "name", "credential", "phone", "interval-ms", "carry", "level-at-1m", "exponent", "path", "connects-at-dbm",
            "transmit-power-dbm", "attempts", "again-s", "expect", "status", "reader", "within-ms",
        ])
        name = try members.required("name").text()
        let propagation = try SiteScenario.Phone.propagation(members)
        let path = try members.required("path")
        walk = DistanceWalk(try DistanceWalk.points(path, needsFloor), propagation)
        guard walk.points[0].at < end else { throw try path.elements()[0].isAfter(end) }
        if let place = members["interval-ms"] {
            interval = .microseconds(Int64((try place.decimal(7.5...4000) * 1000).rounded()))
        }
        if let place = members["phone"] { preset = PhonePreset.named(try place.word(PhonePreset.all.map(\.name))) }
        if let place = members["credential"] { credential = try SiteScenario.Credential(place) }
        if let place = members["connects-at-dbm"] { connectsAt = Int8(try place.number(-126...0)) }
        if let place = members["transmit-power-dbm"] { transmitPower = Int8(try place.number(-127...20)) }
        if let place = members["attempts"] { attempts = try place.number(1...10_000) }
        if let place = members["again-s"] { again = .seconds(try place.number(1...3600)) }
        expected = try SiteScenario.Expectation(members, readers: readers)
    }

    private static func propagation(_ members: JSONMembers) throws(JSONPlaceFault) -> Propagation {
        var propagation = Propagation()
        if let place = members["carry"] {
            let word = try place.word(Propagation.Carry.allCases.map(\.rawValue))
            propagation.carry = Propagation.Carry(rawValue: word) ?? .hand
        }
        if let place = members["level-at-1m"] { propagation.levelAtOneMetre = Double(try place.number(-100...0)) }
        if let place = members["exponent"] { propagation.exponent = try place.decimal(0.5...6) }
        return propagation
    }
}

extension SiteScenario.Expectation {
    /// The members of a phone or a card.
    init(_ members: JSONMembers, readers: [String]) throws(JSONPlaceFault) {
        self.init()
        if let place = members["expect"] { results = try SiteScenario.Expectation.results(place) }
        status = try members["status"].map { place throws(JSONPlaceFault) in try place.number(-999...0) }
        reader = try members["reader"]?.word(readers)
        if let place = members["within-ms"] { within = .milliseconds(try place.number(1...SiteScenario.latest)) }
    }

    private static func results(_ place: JSONPlace) throws(JSONPlaceFault) -> [SiteScenario.Result] {
        let word = try place.word(SiteScenario.Result.allCases.map(\.rawValue) + ["not-opened", "any"])
        switch word {
        case "any": return []
        case "not-opened": return [.denied, .refused, .unseen]
        default: return SiteScenario.Result(rawValue: word).map { [$0] } ?? []
        }
    }
}

extension DistanceWalk {
    /// The points of a way.
    static func points(
        _ place: JSONPlace, _ needsFloor: Bool
    ) throws(JSONPlaceFault) -> [Point] {
        let places = try place.list(SiteScenario.maximumPoints)
        guard !places.isEmpty else { throw place.fault("has no point; write {\"at-ms\": 0, \"metres\": 1}") }
        var points: [Point] = []
        for place in places {
            let members = try place.members(["at-ms", "metres", "dbm", "at"])
            let at = Duration.milliseconds(try members.required("at-ms").number(0...SiteScenario.latest))
            if let last = points.last, at <= last.at { throw place.fault("is not later than the point before") }
            switch (members["metres"], members["dbm"], members["at"]) {
            case (nil, nil, let place?): points.append(.init(at, .floor(try FloorPoint(place))))
            case _ where needsFloor: throw place.fault("needs \"at\": with \"readers\", places are on the floor")
            case (let place?, nil, nil): points.append(.init(at, .metres(try place.decimal(0...Propagation.farthest))))
            case (nil, let place?, nil): points.append(.init(at, Int8(try place.number(-126...20))))
            default: throw place.fault("needs \"metres\", or \"dbm\" or \"at\" in its place")
            }
        }
        return points
    }
}

extension SiteScenario.Credential {
    init(_ place: JSONPlace) throws(JSONPlaceFault) {
        self.init()
        let members = try place.members(["id", "from", "through", "signed-by"])
        if let place = members["id"] {
            id = try place.text()
            guard OSSCredentialID(id) != nil else { throw place.fault("is not 1 to 10 characters of ASCII") }
        }
        if let place = members["from"] { validity.start = try place.minute(.first) }
        if let place = members["through"] { validity.end = try place.minute(.last) }
        isOfSite = try members["signed-by"]?.word(["site", "stranger"]) != "stranger"
    }
}

extension JSONPlace {
    func list(_ most: Int) throws(JSONPlaceFault) -> [JSONPlace] {
        let elements = try elements()
        guard elements.count <= most else { throw fault("has \(elements.count) elements, and \(most) are the most") }
        return elements
    }

    /// A time at which nothing happens any more.
    func isAfter(_ end: Duration) -> JSONPlaceFault {
        fault("is not before the end at \(end.wholeMilliseconds) ms: raise \"seconds\", or begin earlier")
    }

    /// A local time as `2026-11-20T08:30`, or a date.
    fileprivate func minute(_ edge: LocalMinute.Edge) throws(JSONPlaceFault) -> CivilTime {
        let text = try text()
        guard let time = LocalMinute.parse(text[...], ofDay: edge) else {
            throw fault("\(text.debugDescription) is no time; write it as 2026-11-20T08:30")
        }
        return time
    }

    /// A number, decimals allowed.
    fileprivate func decimal(_ range: ClosedRange<Double>) throws(JSONPlaceFault) -> Double {
        guard case .number(let text) = node.content else { throw fault("is \(node.kind), and must be a number") }
        guard let value = Double(text), range.contains(value) else {
            throw fault("\(text) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}

extension [String] {
    /// The first that stands twice.
    fileprivate var firstRepeated: String? {
        var seen: Set<String> = []
        return first { !seen.insert($0).inserted }
    }
}
