import Crypto
public import Reader

extension EventArchive {
    /// Checks the newest records, at least `count` of them if there are as many, as `verify` checks all of the log.
    ///
    /// The record before them is believed as it stands, so this takes the same time however long the log is; a fault
    /// before it is left for `verify`. Where the log begins, and how far it went, is checked in any case.
    public func verifyTail(key: AuditKey, count: UInt64) throws(DiskFault) -> ChainReport {
        // The head first: a writer that goes on meanwhile only makes the log longer than it.
        let head = HeadFile.read(in: directory).place
        return try connection.transaction(reading: true) { () throws(DiskFault) in
            guard let checkpoint = try connection.checkpoint() else { throw .damaged }
            let last = try LogState(connection).last
            // The head may be a little behind: what is compared with it has to be among what is looked at.
            let newest = min(last, head?.sequence ?? last)
            let start = try start(key, checkpoint, before: newest > count ? newest - count : 0)
            let first = start.sequence &+ 1
            return try verify(
                first...max(first, AuditQuery.lastSequence), after: start, key: key, head: head)
        }
    }

    /// Where the check begins: behind record `sequence`, or at the log's beginning if that is later, or not sound.
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
