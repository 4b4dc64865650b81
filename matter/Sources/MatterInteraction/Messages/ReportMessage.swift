// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// A ReportData message under construction, up to its maximum size.
struct ReportMessage {
    /// The two lists of a report, with their tags.
    enum Section: UInt8 {
        case attributes = 1
        case events = 2
    }

    /// The result of an addition.
    enum Addition: Equatable {
        case added
        /// The message is unchanged: it has no room for these octets.
        case tooLarge(Int)
    }

    /// The end of a section, moreChunkedMessages, suppressResponse, the revision and the end of the message.
    private static let tail = 1 + 2 + 2 + 3 + 1

    private var writer = TLVWriter(reserving: InteractionLimits.largestMessage)
    private var section: Section?
    private let headCount: Int

    /// A message of a subscription, or of a read if `subscription` is nil.
    init(subscription: UInt32?) {
        writer.open(.structure, as: .anonymous)
        if let subscription { writer.unsigned(subscription, as: 0) }
        headCount = writer.count
    }

    /// True before the first addition.
    var isEmpty: Bool { section == nil }

    /// The maximum number of octets that fit into an empty message.
    var capacity: Int { InteractionLimits.largestMessage - headCount - 2 - ReportMessage.tail }

    /// Adds the element that `body` writes; if it throws, the message is unchanged.
    mutating func add<Failure: Error>(
        to wanted: Section, _ body: (inout TLVWriter) throws(Failure) -> Void
    ) throws(Failure) -> Addition {
        let before = (count: writer.count, section: section)
        if section != wanted {
            if section != nil { writer.close() }
            writer.open(.array, as: .context(wanted.rawValue))
            section = wanted
        }
        let start = writer.count
        do {
            try body(&writer)
        } catch {
            restore(before)
            throw error
        }
        let count = writer.count - start
        guard writer.count + ReportMessage.tail <= InteractionLimits.largestMessage else {
            restore(before)
            return .tooLarge(count)
        }
        return .added
    }

    /// The octets of the message.
    consuming func finish(hasMore: Bool, suppressesResponse: Bool) -> [UInt8] {
        if section != nil { writer.close() }
        if hasMore { writer.bool(true, as: 3) }
        writer.bool(suppressesResponse, as: 4)
        writer.unsigned(interactionModelRevision, as: 255)
        writer.close()
        return writer.octets
    }

    private mutating func restore(_ before: (count: Int, section: Section?)) {
        writer.truncate(to: before.count)
        section = before.section
    }
}
