// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader

extension EventDatabase {
    /// The result for an event to be appended.
    enum Outcome: Equatable {
        /// Stored under this sequence number.
        case stored(UInt64)
        /// Refused; the log is full.
        case refused
    }

    /// Appends the events in one transaction: on return all are on the disk; on an error, none is.
    func append(_ events: [AuditEvent]) throws(DiskFault) -> [Outcome] {
        var next = state
        var outcomes: [Outcome] = []
        try connection.transaction { () throws(DiskFault) in
            if var loss = unrecordedLoss {
                loss.time = events.first?.time ?? loss.time
                _ = try append(loss, to: &next)
            }
            for event in events { outcomes.append(try append(event, to: &next)) }
        }
        state = next
        let isLossRecorded = unrecordedLoss != nil
        unrecordedLoss = nil
        refreshHead()
        // As at the opening of a log without a loss.
        if isLossRecorded { synchronizeHead() }
        return outcomes
    }

    private func append(_ event: AuditEvent, to state: inout LogState) throws(DiskFault) -> Outcome {
        let admission = capacity.admission(
            of: event.kind, count: state.count, live: state.live, unproven: state.unproven,
            liveUnproven: state.liveUnproven)
        switch admission {
        case .refuse: return .refused
        case .write: break
        case .writeDropping(let surplus): try drop(surplus, from: &state)
        }
        var event = event
        switch event.kind {
        case .logCleared: event.mark = state.last
        // Only here is it known if the previous run ended in order.
        case .start: event.info = state.lastKind == nil || state.lastKind == .stop ? 0 : 1
        default: break
        }
        let wasFull = state.isFull(capacity)
        try insert(event, into: &state)
        let sequence = state.last
        if event.kind == .logCleared {
            state.clearedThrough = event.mark
            (state.live, state.liveUnproven) = (1, 0)
        }
        if !wasFull, state.isFull(capacity) {
            try insert(AuditEvent(.logFull, at: event.time), into: &state)
        }
        return .stored(sequence)
    }

    private func insert(_ event: AuditEvent, into state: inout LogState) throws(DiskFault) {
        // 2^63 - 1 is the column's maximum.
        guard state.last < AuditQuery.lastSequence else { throw .full }
        let record = AuditRecord(sequence: state.last + 1, event: event)
        let octets = record.octets
        let chain: ChainValue
        do throws(CryptoError) { chain = try key.value(after: state.chain, octets.span) } catch { throw .other }
        let stored = StoredRecord(sequence: record.sequence, kind: event.kind, octets: octets, chain: chain)
        try connection.insert(stored, chain)
        state.last = record.sequence
        state.chain = chain
        state.lastKind = event.kind
        if event.tellsTime { state.lastTime = event.time.epochSeconds }
        state.count += 1
        state.live += 1
        if AuditKind.unprovenKinds.contains(event.kind) {
            state.unproven += 1
            state.liveUnproven += 1
        }
    }

    /// Removes the oldest records, and moves the checkpoint to the last of them.
    private func drop(_ surplus: Int, from state: inout LogState) throws(DiskFault) {
        let row = try connection.prepare("SELECT sequence, chain FROM event ORDER BY sequence LIMIT 1 OFFSET ?1")
            .bind(1, Int64(surplus - 1))
        guard try row.step(), let chain = ChainValue(row.octets(1)) else {
            row.reset()
            throw .damaged
        }
        let last = row.integer(0)
        row.reset()
        let checkpoint = try EventDatabase.checkpoint(key, UInt64(clamping: last), chain)
        synchronizeHead()
        try connection.write(checkpoint)
        try connection.prepare("DELETE FROM event WHERE sequence <= ?1").bind(1, last).run()
        state.checkpoint = checkpoint
        state.count -= surplus
        state.live = min(state.live, state.count)
        state.unproven = try connection.countUnproven(after: 0)
        state.liveUnproven = try connection.countUnproven(after: state.clearedThrough)
    }
}
