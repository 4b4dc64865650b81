// SPDX-License-Identifier: Apache-2.0

/// An event of a station.
public enum WiFiEvent: Equatable, Sendable {
    /// A scan has found this access point, each once per scan.
    case found(WiFiNetwork)
    /// A scan has ended; `complete` is false if it was cut short.
    case scanEnded(complete: Bool)
    /// A join has reached this step.
    case joining(WiFiJoinStep)
    /// The network was joined, with this address.
    case joined(WiFiNetwork, IPv4Address)
    /// The join failed; there is no connection now.
    case joinFailed(WiFiJoinFailure)
    /// The connection is lost.
    case lost
}

/// The reason why a station refuses a request.
public enum WiFiRefusal: Error, Equatable, Sendable {
    /// The request is invalid (a driver's EINVAL).
    case invalid
    /// Any other reason: the driver failed, the supplicant is unavailable.
    case failed
}
