// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

extension MDNSResponder {
    /// Handles a received packet from any peer. Malformed messages, and messages about other services, are ignored.
    public mutating func receive(
        _ octets: Span<UInt8>, from peer: MDNSPeer, at now: Instant, _ random: inout some RandomSource
    ) {
        guard isActive, host.isNear(peer.address), let message = try? DNSMessage(octets), message.isStandard else {
            return
        }
        if message.isAnswer {
            // A response from another port is not multicast DNS (RFC 6762, 6).
            if peer.port == MDNSPeer.port { learn(message, from: peer, at: now) }
        } else {
            asked(message, by: peer, at: now, &random)
        }
    }

    // MARK: - Responses of other hosts

    private mutating func learn(_ message: DNSMessage, from peer: MDNSPeer, at now: Instant) {
        if !host.networks.contains(where: { $0.address == peer.address }) { suppress(message.answers) }
        for record in message.answers + message.additionals {
            let isProbing = phases[record.name]?.isProbing ?? false
            if isProbed(record.name), table.conflicts(with: record, whileProbing: isProbing) {
                guard !isProbing else { return yield(record.name) }
                // A conflict with an established record: probe again (RFC 6762, 9).
                pending.removeAll()
                for owner in table.owners where isProbed(owner) { phases[owner] = .probing(sent: 0, next: now) }
                return
            }
            // Another host announces the same record with a shorter lifetime, or withdraws it: announce it again (RFC
            // 6762, 6.6).
            let same = answerable(table.same(as: record)).intersection(table.numbers { $0.kind.isAnnounced })
            for own in table[same] where record.lifetime < own.lifetime / 2 {
                wait(for: same, until: now, asker: group)
            }
        }
    }

    /// Removes pending answers that another host has just given with a sufficient lifetime (RFC 6762, 7.4). The caller
    /// excludes answers of this host, whose own multicasts return to it.
    private mutating func suppress(_ answers: [DNSRecord]) {
        guard !pending.isEmpty else { return }
        for record in answers {
            let same = table.same(as: record)
            guard let own = table[same].first, record.lifetime >= own.lifetime else { continue }
            for index in pending.indices { pending[index].records.subtract(same) }
        }
        pending.removeAll { $0.records.isEmpty }
    }

    /// The records of a set whose names are announced.
    private func answerable(_ records: MDNSRecords) -> MDNSRecords {
        guard phases.values.contains(where: { !$0.isAnnounced }) else { return records }
        return records.intersection(table.numbers { phases[$0.owner]?.isAnnounced == true })
    }

    // MARK: - Queries

    private mutating func asked(
        _ message: DNSMessage, by peer: MDNSPeer, at now: Instant, _ random: inout some RandomSource
    ) {
        if loses(to: message) {
            for (owner, phase) in phases where phase.isProbing {
                phases[owner] = .probing(sent: 0, next: now + MDNSResponder.afterLosing)
            }
        }
        let known = self.known(message)
        if message.questions.isEmpty {
            // Further known answers of an earlier query (RFC 6762, 7.2).
            for index in pending.indices where pending[index].asker == peer {
                pending[index].records.subtract(known)
            }
            pending.removeAll { $0.records.isEmpty }
            return
        }
        guard peer.port == MDNSPeer.port else { return answerPlainly(message, to: peer) }
        var toAll: MDNSRecords = [], toOne: MDNSRecords = []
        for question in message.questions {
            for number in answerable(table.answer(question)).subtracting(known) {
                if question.wantsUnicast, wasToldLately(number, at: now) {
                    toOne.insert(number)
                } else {
                    toAll.insert(number)
                }
            }
        }
        if !toOne.isEmpty {
            respond(table[toOne], additionals: table[table.additional(to: toOne)], to: peer)
        }
        guard !toAll.isEmpty else { return }
        var due = now
        if message.isTruncated {
            due = now + random.milliseconds(from: 400, upTo: 500)
        } else if !toAll.isDisjoint(with: table.numbers { !$0.kind.isUnique }) {
            // Shared records: other hosts respond too (RFC 6762, 6).
            due = now + random.milliseconds(from: 20, upTo: 120)
        }
        // A probe is answered without the pause of a second that applies to other queries (RFC 6762, 6).
        let isProbe = !message.authorities.isEmpty
        wait(for: toAll, until: due, asker: peer, isUrgent: isProbe)
        advance(to: now)
    }

    /// The records that the querier knows with sufficient lifetime (RFC 6762, 7.1).
    private func known(_ message: DNSMessage) -> MDNSRecords {
        message.answers.reduce(into: []) { known, record in
            let same = table.same(as: record)
            if let own = table[same].first, record.lifetime >= own.lifetime / 2 { known.formUnion(same) }
        }
    }

    /// True if all records were multicast within a quarter of their lifetime, so that a unicast response suffices
    /// (RFC 6762, 5.4).
    private func wasToldLately(_ number: Int, at now: Instant) -> Bool {
        guard let last = lastTold[number], let own = table[[number]].first else { return false }
        return now - last < .seconds(Int64(own.lifetime / 4))
    }

    private mutating func wait(
        for records: MDNSRecords, until due: Instant, asker: MDNSPeer, isUrgent: Bool = false
    ) {
        var due = due
        let pause = isUrgent ? MDNSResponder.betweenProbes : MDNSResponder.betweenAnnouncements
        for number in records {
            if let last = lastTold[number] { due = max(due, last + pause) }
        }
        // Records that are already scheduled by then.
        let planned = pending.filter { $0.due <= due }.reduce(into: MDNSRecords()) { $0.formUnion($1.records) }
        let missing = records.subtracting(planned)
        guard !missing.isEmpty, pending.count < MDNSResponder.maximumPending else { return }
        pending.append(Pending(due: due, records: missing, asker: asker))
    }

    /// Responds to a plain DNS resolver: with identifier and question repeated, and without multicast-specific
    /// content (RFC 6762, 6.7).
    private mutating func answerPlainly(_ message: DNSMessage, to peer: MDNSPeer) {
        var records: MDNSRecords = []
        var questions: [DNSQuestion] = []
        for question in message.questions {
            let found = answerable(table.answer(question)).subtracting(table.numbers { $0.kind == .end })
            guard !found.isEmpty else { continue }
            records.formUnion(found)
            questions.append(question)
        }
        guard !records.isEmpty else { return }
        var answer = DNSMessage(flags: DNSMessage.answer)
        answer.answers = table[records]
        answer.additionals = table[table.additional(to: records)]
        answer.identifier = message.identifier
        answer.questions = questions
        func plain(_ record: DNSRecord) -> DNSRecord {
            var record = record
            record.flushesCache = false
            record.lifetime = min(record.lifetime, 10)
            return record
        }
        answer.answers = answer.answers.map(plain)
        answer.additionals = answer.additionals.filter { $0.data.type != .nsec }.map(plain)
        send(answer, to: peer)
    }

    // MARK: - Simultaneous probes

    /// True if a simultaneous probe of another host for any of the names wins (RFC 6762, 8.2).
    private func loses(to message: DNSMessage) -> Bool {
        table.owners.contains { name in
            guard case .probing(let sent, _) = phases[name], sent > 0 else { return false }
            let own = MDNSResponder.ordered(table[table.unique(name)])
            let other = MDNSResponder.ordered(message.authorities.filter { $0.name == name })
            guard !other.isEmpty else { return false }
            return own.lexicographicallyPrecedes(other) { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// Class, type and data of each record in ascending order, as octets with the order of the records (RFC 6762,
    /// 8.2.1).
    private static func ordered(_ records: [DNSRecord]) -> [[UInt8]] {
        records.map { record in
            let numbers = [record.classCode, record.data.type.rawValue]
            return numbers.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
                + record.data.octets
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
