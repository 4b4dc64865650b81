// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Reader

extension EventArchive {
    /// Verifies the newest records, at least `count` of them if there are as many, in the same way as `verify`.
    ///
    /// The record before them is trusted, so the time is independent of the log's length; faults before it are found by
    /// `verify` only. The log's beginning and end are checked in any case.
    public func verifyTail(key: AuditKey, count: UInt64) throws(DiskFault) -> ChainReport {
        // The head is read first: a concurrent writer then only makes the log longer than it.
        let head = HeadFile.read(in: directory).place
        return try connection.transaction(reading: true) { () throws(DiskFault) in
            guard let checkpoint = try connection.checkpoint() else { throw .damaged }
            let last = try LogState(connection).last
            // The head may be a little behind; it has to be within the range that is verified.
            let newest = min(last, head?.sequence ?? last)
            let start = try start(key, checkpoint, before: newest > count ? newest - count : 0)
            let first = start.sequence &+ 1
            return try verify(
                first...max(first, AuditQuery.lastSequence), after: start, key: key, head: head)
        }
    }

    /// Returns the start of the verification: record `sequence`, or the checkpoint if that is later or not authentic.
    private func start(
        _ key: AuditKey, _ checkpoint: ChainPlace, before sequence: UInt64
    ) throws(DiskFault) -> ChainPlace {
        guard sequence > checkpoint.sequence, let chain = try connection.chain(at: sequence) else { return checkpoint }
        do throws(CryptoError) {
            guard try key.made(checkpoint, .checkpoint) else { return checkpoint }
            return try key.place(.checkpoint, sequence: sequence, chain: chain)
        } catch {
            throw .other
        }
    }
}
