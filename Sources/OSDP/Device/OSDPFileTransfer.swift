// SPDX-License-Identifier: Apache-2.0

/// A file in transfer from the panel (osdp_FILETRANSFER, 6.26): parts in order, without gaps.
struct OSDPFileTransfer: Sendable {
    private let type: UInt8
    private let total: UInt32
    private var start: UInt32 = 0
    private var end: UInt32 = 0
    /// The result of processing the whole file; `working` until then.
    private var result: OSDPFileStatus.Result = .working

    /// The kind of file that a device accepts: opaque to all but itself.
    static let opaque: UInt8 = 1

    /// A transfer that begins with this part; nil if it is not the first part, or the file is empty or too long.
    init?(_ fragment: OSDPFileFragment, limit: UInt32) {
        guard fragment.offset == 0, !fragment.data.isEmpty, fragment.total <= limit else { return nil }
        type = fragment.type
        total = fragment.total
    }

    /// True until the result is known.
    var isOpen: Bool { result == .working }

    /// The place of a part in the transfer.
    enum Step {
        /// The next one.
        case next
        /// A repetition of the last one, or an empty part: the panel asks for the status.
        case known
        case wrong
    }

    mutating func receive(_ fragment: OSDPFileFragment) -> Step {
        let count = UInt32(fragment.data.count)
        guard fragment.type == type, fragment.total == total, fragment.offset <= total,
            count <= total - fragment.offset
        else { return .wrong }
        if count == 0, fragment.offset == end { return .known }
        if fragment.offset == end, count > 0 {
            (start, end) = (end, end + count)
            return .next
        }
        return fragment.offset == start && start + count == end ? .known : .wrong
    }

    mutating func finish(_ result: OSDPFileStatus.Result) { self.result = result }

    /// The reply: the result, or a request for the next part or the next question after a delay in milliseconds.
    func status(delay: UInt16) -> OSDPFileStatus {
        guard isOpen else { return OSDPFileStatus(result) }
        return OSDPFileStatus(delay: delay, end == total ? .working : .proceed)
    }
}
