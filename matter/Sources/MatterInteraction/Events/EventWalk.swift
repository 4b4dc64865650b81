// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// The events that the paths of a request select, in the order of their numbers.
struct EventWalk: Sendable {
    enum Step: Sendable {
        case event(EventBuffer.Stored)
        /// A path without wildcards that leads to no readable event.
        case status(EventPath, StatusInformation)
    }

    private let selectors: [EventSelector]
    /// True for a report of a subscription, whose paths were checked at its start.
    private let isQuiet: Bool
    private var judged = 0
    private var number: UInt64
    /// The first number that is left for a later report.
    let end: UInt64

    /// The events of `selectors` with numbers from `first` up to `end`.
    init(_ selectors: [EventSelector], from first: UInt64, to end: UInt64, isQuiet: Bool) {
        self.selectors = selectors
        self.isQuiet = isQuiet
        number = first
        self.end = end
    }

    /// The next status or event; nil at the end.
    mutating func next(
        in buffer: EventBuffer, of model: some DataModel, for accessor: Accessor
    ) -> Step? {
        while !isQuiet, judged < selectors.count {
            judged += 1
            guard let path = selectors[judged - 1].path else { continue }
            do throws(StatusInformation) {
                _ = try path.readableDeclaration(in: model, for: accessor)
            } catch {
                return .status(path, error)
            }
        }
        guard !selectors.isEmpty else { return nil }
        while number < end, let event = buffer.first(from: number), event.number < end {
            number = event.number + 1
            guard selectors.contains(where: { $0.includes(event.record.path) }),
                event.record.isReadable(in: model, for: accessor)
            else { continue }
            return .event(event)
        }
        return nil
    }
}

extension EventPath {
    /// The declaration of the event.
    ///
    /// - Throws: the status of an event that does not exist or that `accessor` may not read.
    func readableDeclaration(
        in model: some DataModel, for accessor: Accessor
    ) throws(StatusInformation) -> EventDeclaration {
        let (endpoint, cluster) = try model.find(endpoint, cluster)
        guard let declaration = cluster.events.first(where: { $0.id == event }) else {
            throw StatusInformation(.unsupportedEvent)
        }
        let granted = GrantedPrivileges(of: accessor, on: cluster.id, of: endpoint, entries: model.accessEntries)
        guard granted.include(declaration.privilege) else { throw StatusInformation(.unsupportedAccess) }
        return declaration
    }
}

extension EventRecord {
    /// True if `accessor` has the privilege and, for an event of one fabric, belongs to it.
    func isReadable(in model: some DataModel, for accessor: Accessor) -> Bool {
        guard fabric == nil || fabric == accessor.fabric,
            let declaration = try? path.readableDeclaration(in: model, for: accessor)
        else { return false }
        // A fabric-sensitive event without a fabric is unreadable.
        return fabric != nil || !declaration.isFabricSensitive
    }
}

extension EventBuffer.Stored {
    /// Writes an EventReportIB with an EventDataIB.
    func writeReport(into writer: inout TLVWriter) {
        writer.structure(as: .anonymous) { report in
            report.structure(as: 1) { body in
                record.path.write(into: &body, as: 0)
                body.unsigned(number, as: 1)
                body.unsigned(record.priority.rawValue, as: 2)
                record.time.write(into: &body, epoch: 3, system: 4)
                body.element(data, as: 7)
            }
        }
    }
}
