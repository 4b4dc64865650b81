// SPDX-License-Identifier: Apache-2.0

extension ChainFinding: CustomStringConvertible {
    /// A line for an operator.
    public var description: String {
        switch self {
        case .foreign: "the log is of another device, or was replaced"
        case .changed(let sequence): "record \(sequence) was changed"
        case .moved(let sequence, let from): "record \(sequence) was replaced by record \(from)"
        case .missing(let range) where range.count == 1: "record \(range.lowerBound) was removed"
        case .missing(let range): "records \(range.lowerBound) to \(range.upperBound) were removed"
        case .truncated(let last, let head):
            "the log ends at record \(last) instead of \(head): truncated, or an older copy"
        case .lost(let sequence, let mark):
            "record \(sequence): the reader found the log not continued at \(mark), where it had left it"
        case .headMissing: "events.head is missing: truncation at the end cannot be detected"
        case .headForeign: "events.head is of another device"
        case .headDiffers(let sequence): "record \(sequence) differs from the noted one: the log was replaced"
        case .anchorTooOld(let sequence): "record \(sequence) is no longer kept: the anchor cannot be checked"
        }
    }
}
