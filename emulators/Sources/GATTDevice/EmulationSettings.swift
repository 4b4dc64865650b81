// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// Settings of emulated devices beyond the content of their files.
public struct EmulationSettings: Sendable {
    /// The answers of a user at the device. Without an answer, a question stays open until the pairing times out.
    public struct Answers: Equatable, Sendable {
        /// True if both sides display the same number; nil leaves the question open.
        public var comparison: Bool?
        /// The six digits entered when a passkey is requested, 0 to 999 999; nil leaves the question open.
        public var passkey: UInt32?

        /// The given answers; none by default.
        public init(comparison: Bool? = nil, passkey: UInt32? = nil) {
            self.comparison = comparison
            self.passkey = passkey
        }
    }

    /// Limits and times of the host.
    public var host = HostConfiguration()
    /// The requirements on pairings; nil refuses all pairings.
    public var pairing: SecurityPolicy?
    /// True if the devices use resolvable private addresses, which only bonded clients can resolve, instead of static
    /// addresses. Requires an identity.
    public var isPrivate = false
    /// The user's answers.
    public var answers = Answers()
    /// The duration from the start in which bonded peers that have lost their keys may pair again; nil for none.
    public var pairingWindow: Duration?
    /// True if out-of-band data is generated and reported at the start, for clients that pair with it.
    public var publishesOutOfBand = false

    /// SPSMs of channels that echo SDUs, in addition to the files' channels, from `DeviceTable.channelNumbers`.
    public var echoChannels: [UInt16] = []

    /// The maximum ATT_MTU of all devices; nil for the files'.
    public var maximumMTU: Int?

    /// The defaults: no pairing and no answers.
    public init() {}
}
