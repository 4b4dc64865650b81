/// Why the reader closed a link.
public enum Refusal: Equatable, Sendable {
    /// The window ended and the median had not reached the threshold; nil if there were too few readings for one.
    case tooFar(median: Int8?)
    /// Three readings in a row were far under the threshold; the last, in dBm.
    case wellUnder(last: Int8)
    /// No exchange was completed in the time a connection has.
    case idle
    /// All slots are taken; the connection crossed with the end of advertising.
    case poolFull
    /// The address was refused several times and would have taken the last free slot.
    case backingOff
    /// The mode's gate needs RSSI and the controller cannot read it.
    case rssiUnavailable
    /// More was sent before the gate opened than is kept.
    case heldTooMuch
    /// The link was up for as long as any may be.
    case aged
    /// All slots were taken, and of all links this one had been without a good exchange for longest.
    case gaveWay
    /// Its credential came over another link, and one credential does not hold every slot.
    case replaced

    /// Whether the phone had its chance and did not use it: such refusals count towards backing off.
    public var countsAgainstAddress: Bool {
        switch self {
        case .tooFar, .wellUnder, .idle, .heldTooMuch, .aged, .gaveWay, .replaced: true
        case .poolFull, .backingOff, .rssiUnavailable: false
        }
    }
}
