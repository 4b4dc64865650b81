// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Timekeeping

/// The access data element of a document.
struct AliroAccessData {
    /// Rules, and schedules, of one element.
    static let maximumRules = 8

    private struct Rule {
        let actions: AliroActions
        /// Schedules by bit; nil without a restriction.
        let allow: UInt64?
        let deny: UInt64?
    }

    private let rules: [Rule]?
    private let schedules: [AliroSchedule]

    /// Parses an element.
    ///
    /// - Throws: `content` for another version, `noRight` for reader rules, critical extensions and schedules that are
    ///   not supported, `format` for all else.
    init(_ node: CBORNode) throws(AliroDocumentFault) {
        guard let members = node.map else { throw .format }
        guard node[0]?.integer == 1 else { throw .content }
        schedules = try Self.list(node[3]) { (item) throws(AliroDocumentFault) in try AliroSchedule(item) }
        let count = schedules.count
        let rules = try Self.list(node[2]) { (item) throws(AliroDocumentFault) in try Self.rule(item, of: count) }
        self.rules = members[.integer(2)] == nil ? nil : rules
        // No rule of the reader's own is known by an identifier.
        if let node = node[4] {
            guard let identifiers = node.array else { throw .format }
            guard identifiers.isEmpty else { throw .noRight }
        }
        if let node = node[6] { try Self.check(extensions: node) }
    }

    /// True if a rule permits any of `actions` now. An element without rules permits all.
    func permits(_ actions: AliroActions, at moment: Moment, in zone: TimeZoneRule) -> Bool {
        guard schedules.isEmpty || moment.epochSeconds != nil else { return false }
        guard let rules else { return true }
        func isRunning(_ mask: UInt64) -> Bool {
            guard let now = moment.epochSeconds else { return false }
            return schedules.indices.contains {
                mask >> UInt64($0) & 1 == 1 && schedules[$0].isRunning(at: now, in: zone)
            }
        }
        return rules.contains { rule in
            !rule.actions.isDisjoint(with: actions) && !(rule.deny.map(isRunning) ?? false)
                && (rule.allow.map(isRunning) ?? true)
        }
    }

    private static func list<Element>(
        _ node: CBORNode?, _ parse: (CBORNode) throws(AliroDocumentFault) -> Element
    ) throws(AliroDocumentFault) -> [Element] {
        guard let node else { return [] }
        guard let items = node.array, (1...maximumRules).contains(items.count) else { throw .format }
        var elements: [Element] = []
        for item in items { elements.append(try parse(item)) }
        return elements
    }

    private static func rule(_ node: CBORNode, of schedules: Int) throws(AliroDocumentFault) -> Rule {
        guard node.map != nil, let actions = node[0]?.integer, let actions = UInt8(exactly: actions) else {
            throw .format
        }
        var masks: [UInt64?] = []
        for key in [1, 2] as [Int64] {
            guard let node = node[key] else {
                masks.append(nil)
                continue
            }
            // A schedule that is not there can neither run nor be known not to run.
            guard let mask = node.integer, mask >= 0, mask < 1 << Int64(schedules) else { throw .format }
            masks.append(UInt64(mask))
        }
        return Rule(actions: AliroActions(rawValue: actions), allow: masks[0], deny: masks[1])
    }

    /// Extensions by vendor: none is known, and a critical one refuses.
    private static func check(extensions node: CBORNode) throws(AliroDocumentFault) {
        guard let vendors = node.map else { throw .format }
        for list in vendors.values {
            guard let extensions = list.array else { throw .format }
            for item in extensions {
                guard let flags = item.array?.first?.integer else { throw .format }
                guard flags & 1 == 0 else { throw .noRight }
            }
        }
    }
}
