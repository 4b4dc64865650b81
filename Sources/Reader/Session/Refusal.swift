// SPDX-License-Identifier: Apache-2.0

/// The reason for which the reader closes a link.
public enum Refusal: Equatable, Sendable {
    /// The window ended and the median had not reached the threshold; nil if there were too few readings for one.
    case tooFar(median: Int8?)
    /// Three readings in a row were far under the threshold; the last, in dBm.
    case wellUnder(last: Int8)
    /// The RSSI would do, and the median path loss exceeded the limit; in dB.
    case pathLoss(median: Int)
    /// The RSSI would do, and the phone reported no transmit power, or too late for all readings.
    case powerUnknown
    /// No exchange was completed in the time a connection has.
    case idle
    /// All slots are taken; the connection crossed with the end of advertising.
    case poolFull
    /// The address was refused several times and would have taken the last free slot.
    case backingOff
    /// The mode's gate needs RSSI and the controller cannot read it.
    case rssiUnavailable
    /// The mode's gate limits the path loss and the controller cannot read the transmit power of phones.
    case powerUnavailable
    /// The phone sent more before the gate opened than is held.
    case earlyDataExceeded
    /// The link has reached the maximum duration.
    case lifetimeExceeded
    /// All slots are taken, and this link was without a good exchange for longest.
    case evicted
    /// The credential is in use on another link, and may not hold every slot.
    case replaced
    /// The link was measured for a site survey.
    case surveyed
    /// The reader's key or configuration with which the client's exchange began was replaced.
    case outdated

    /// True for refusals that count towards backing off: the phone could have been served.
    public var countsAgainstAddress: Bool {
        switch self {
        case .tooFar, .wellUnder, .pathLoss, .powerUnknown, .idle, .earlyDataExceeded, .lifetimeExceeded, .evicted,
            .replaced:
            true
        case .poolFull, .backingOff, .rssiUnavailable, .powerUnavailable, .surveyed, .outdated: false
        }
    }
}
