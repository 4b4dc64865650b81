// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Timekeeping

/// An attack on a reader, as the bench carries it out.
public enum Attack: Equatable, Sendable {
    /// A relay next to the reader repeats a rightful phone that is far away, and adds this time each way.
    case relay(Duration)
    /// The frames of a rightful phone's opening, written again in another connection.
    case replay
    /// A rightful token with another's identifier in it, and the signature as it was.
    case changedIdentifier
    /// A rightful token whose validity was extended, and the signature as it was.
    case changedValidity
    /// A token with the signature of a key that the reader does not know.
    case stranger
    /// A rightful credential that was called back.
    case revoked
    /// A rightful credential whose validity has ended.
    case ended
    /// A rightful credential whose validity has not begun.
    case early
    /// A rightful credential at a reader that has lost its clock.
    case lostClock

    /// All that the bench carries out. A relay of the link layer takes 8 ms (NCC Group, 2022); longer ones are relays
    /// by way of a network.
    public static let all: [Attack] =
        [8, 50, 200, 1000].map { .relay(.milliseconds($0)) } + [
            .replay, .changedIdentifier, .changedValidity, .stranger, .revoked, .ended, .early, .lostClock,
        ]

    /// The name in tables.
    public var name: String {
        switch self {
        case .relay(let delay): "relay, \(delay.wholeMilliseconds) ms each way"
        case .replay: "replayed session"
        case .changedIdentifier: "forged: another identifier"
        case .changedValidity: "forged: longer validity"
        case .stranger: "a stranger's signature"
        case .revoked: "revoked credential"
        case .ended: "window ended"
        case .early: "window not begun"
        case .lostClock: "reader without a clock"
        }
    }
}
