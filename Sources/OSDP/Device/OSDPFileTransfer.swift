// SPDX-License-Identifier: Apache-2.0

/// A file on its way from the panel (osdp_FILETRANSFER, 6.26): parts in order, without gaps.
struct OSDPFileTransfer: Sendable {
    private let type: UInt8
    private let total: UInt32
    private var start: UInt32 = 0
    private var end: UInt32 = 0
    /// The result of the work on the whole file; `working` until then.
    private var result: OSDPFileStatus.Result = .working

    /// A transfer that begins with this part; nil if it is no beginning, or the file is too long.
    init?(_ fragment: OSDPFileFragment, limit: UInt32) {
        guard fragment.offset == 0, !fragment.data.isEmpty, fragment.total <= limit else { return nil }
        type = fragment.type
        total = fragment.total
    }

    /// True if the last part is there and the work on the file goes on.
    var isWorking: Bool { end == total && result == .working }

    /// The place of a part in the transfer.
    enum Step {
        /// The next one.
        case next
        /// The last one again, or none: the panel asks for the status.
        case known
        case wrong
    }

    mutating func take(_ fragment: OSDPFileFragment) -> Step {
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

    /// The reply.
    var status: OSDPFileStatus { OSDPFileStatus(end == total ? result : .proceed) }
}
