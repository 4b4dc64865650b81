// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

/// The parts of a list that exceeds one message: an empty list, then one append for each entry.
///
/// The entries are captured with the first part, so that a change between two messages does not mix versions.
struct ListRemainder: Sendable {
    private let path: AttributePath
    private let version: UInt32
    private var entries: TLVMembers
    private var entry: TLVElement?
    /// True until the empty list is written.
    private var isAtStart = true

    /// The parts of a list; nil if the value is not a list, or if a single entry exceeds a message.
    init?(_ target: AttributeWalk.Target, _ job: ReportJob, _ model: some DataModel, at now: Instant) {
        path = target.path
        version = model.dataVersion(endpoint: path.endpoint, cluster: path.cluster)
        var writer = TLVWriter()
        do throws(StatusInformation) {
            try job.writeValue(of: target, into: &writer, as: .anonymous, model, at: now)
        } catch {
            return nil
        }
        let octets = writer.octets
        guard let entries = try? TLVElement(octets).array() else { return nil }
        self.entries = entries
        let capacity = ReportMessage(subscription: job.purpose.subscription).capacity
        for entry in entries where size(of: entry) > capacity { return nil }
    }

    /// True after the last entry.
    var isDone: Bool { !isAtStart && entry == nil }

    /// Writes the AttributeReportIB of the next part.
    func writeNext(into writer: inout TLVWriter) {
        writer.structure(as: .anonymous) { report in
            report.structure(as: 1) { body in
                body.unsigned(version, as: 0)
                path.write(into: &body, as: 1, isAppending: entry != nil)
                if let entry { body.element(entry, as: 2) } else { body.array(as: 2) { _ in } }
            }
        }
    }

    /// Advances to the next part.
    mutating func advance() {
        isAtStart = false
        entry = entries.next()
    }

    private func size(of entry: TLVElement) -> Int {
        var part = self
        part.entry = entry
        var writer = TLVWriter()
        part.writeNext(into: &writer)
        return writer.count
    }
}
