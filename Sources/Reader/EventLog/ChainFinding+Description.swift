extension ChainFinding: CustomStringConvertible {
    /// A line for an operator.
    public var description: String {
        switch self {
        case .foreign: "the log was not begun by this device: it is another's, or was replaced"
        case .changed(let sequence): "record \(sequence) was changed"
        case .moved(let sequence, let from): "record \(sequence) was put in its place: it is record \(from)"
        case .missing(let range) where range.count == 1: "record \(range.lowerBound) was removed"
        case .missing(let range): "records \(range.lowerBound) to \(range.upperBound) were removed"
        case .truncated(let last, let head):
            "the log ends with record \(last), and went on to \(head): its end was cut off, or it is an older copy"
        case .lost(let sequence, let mark):
            "record \(sequence): the reader found that the log did not go on where it had left it, at \(mark)"
        case .headMissing: "the file that tells how far the log went is gone: a cut at the end cannot be seen"
        case .headForeign: "the file that tells how far the log went is not this device's"
        case .headDiffers(let sequence): "record \(sequence) is not the one that was noted: the log was replaced"
        case .anchorTooOld(let sequence): "record \(sequence) is no longer kept: the anchor says nothing"
        }
    }
}
