// SPDX-License-Identifier: Apache-2.0

import Contactless
import JSON
import Timekeeping
import VirtualRadio

/// The members of a card in a file.
extension SiteScenario.Card {
    init(_ place: JSONPlace, readers: [String], needsFloor: Bool, end: Duration) throws(JSONPlaceFault) {
        let members = try place.members([
            "name", "kind", "credential", "present", "path", "answer-ms", "waits-for-frame", "fault", "expect",
            "status", "reason", "reader", "within-ms",
        ])
        let kind = try members.required("kind").word(Kind.allCases.map(\.rawValue))
        self.init(name: try members.required("name").text(), kind: Kind(rawValue: kind) ?? .pkoc)
        if let place = members["credential"] { credential = try SiteScenario.Credential(place) }
        for place in try members["present"]?.list(SiteScenario.maximumPoints) ?? [] {
            presences.append(try Presence(place, readers: readers, end: end))
        }
        if let place = members["path"] {
            walk = DistanceWalk(try DistanceWalk.points(place, needsFloor))
            for point in walk.points {
                if case .dBm = point.place { throw place.fault("has a level: write \"metres\"") }
            }
        }
        guard !presences.isEmpty || !walk.points.isEmpty else {
            throw place.fault("comes to no reader; add \"present\": [{\"at-ms\": 1000}], or a \"path\"")
        }
        if let place = members["answer-ms"] { answerTime = .milliseconds(try place.number(0...10_000)) }
        if let place = members["waits-for-frame"] { waitsForFrame = try place.boolean() }
        if let place = members["fault"] { try readFault(place) }
        expected = try SiteScenario.Expectation(members, readers: readers)
        expected.reason = try members["reason"]?.text()
    }

    private mutating func readFault(_ place: JSONPlace) throws(JSONPlaceFault) {
        switch kind {
        case .pkoc, .desfire: fault = SiteCardFault(rawValue: try place.word(SiteCardFault.allCases.map(\.rawValue)))
        case .aliro:
            // A document of this card would need an issuer.
            aliroFault = try place.word(AliroPhoneFault.all.filter { !$0.needsDocument }.map(\.name))
        case .phone, .identifier: throw place.fault("is for kinds pkoc, desfire and aliro only")
        }
    }
}

extension SiteScenario.Card.Presence {
    fileprivate init(_ place: JSONPlace, readers: [String], end: Duration) throws(JSONPlaceFault) {
        let members = try place.members(["at-ms", "for-ms", "reader", "leaves-during", "leaves-after"])
        let time = try members.required("at-ms")
        let from = Duration.milliseconds(try time.number(0...SiteScenario.latest))
        guard from < end else { throw time.isAfter(end) }
        var until: Duration?
        if let place = members["for-ms"] { until = from + .milliseconds(try place.number(1...SiteScenario.latest)) }
        self.init(from: from, until: until)
        reader = try members["reader"]?.word(readers)
        guard reader != nil || readers.count == 1 else { throw place.fault("needs \"reader\": there are several") }
        switch (members["leaves-during"], members["leaves-after"]) {
        case (nil, nil): break
        case (let place?, nil): stay = .during(command: try place.number(Self.commands))
        case (nil, let place?): stay = .after(command: try place.number(Self.commands))
        case (_?, let place?): throw place.fault("and \"leaves-during\" are two ends; leave one out")
        }
    }

    /// The numbers of commands: more than any transaction has.
    private static let commands = 1...1000
}

extension SiteScenario.Card {
    /// The members, without what is the default anyway.
    var text: String {
        let defaults = SiteScenario.Card(name: "", kind: kind)
        var text = JSONMembersText()
        text.add("name", name)
        text.add("kind", kind.rawValue)
        if credential != defaults.credential { text.add("credential", json: credential.text) }
        if !presences.isEmpty {
            text.add("present", json: "[" + presences.map(\.text).joined(separator: ", ") + "]")
        }
        if !walk.points.isEmpty {
            text.add("path", json: "[" + walk.points.map(\.text).joined(separator: ", ") + "]")
        }
        if answerTime != defaults.answerTime { text.add("answer-ms", answerTime.wholeMilliseconds) }
        if waitsForFrame { text.add("waits-for-frame", json: "true") }
        if let fault = fault?.rawValue ?? aliroFault { text.add("fault", fault) }
        expected.add(to: &text)
        return text.object
    }
}

extension SiteScenario.Card.Presence {
    fileprivate var text: String {
        var text = JSONMembersText()
        text.add("at-ms", from.wholeMilliseconds)
        if let until { text.add("for-ms", (until - from).wholeMilliseconds) }
        if let reader { text.add("reader", reader) }
        switch stay {
        case .lasting: break
        case .during(let command): text.add("leaves-during", command)
        case .after(let command): text.add("leaves-after", command)
        }
        return text.object
    }
}
