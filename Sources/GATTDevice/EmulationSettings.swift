public import Peripheral

/// How emulated devices are run, beside what their files say.
public struct EmulationSettings: Sendable {
    /// What a user at the device would answer; without an answer, a question stays open until the pairing times out.
    public struct Answers: Equatable, Sendable {
        /// Whether both sides show the same number; nil leaves the question open.
        public var comparison: Bool?
        /// The six digits that are entered where a passkey is asked for, 0 to 999 999; nil leaves the question open.
        public var passkey: UInt32?

        /// These answers; none, by default.
        public init(comparison: Bool? = nil, passkey: UInt32? = nil) {
            self.comparison = comparison
            self.passkey = passkey
        }
    }

    /// Limits and times of the host.
    public var host = HostConfiguration()
    /// What is demanded of pairings; nil refuses all.
    public var pairing: SecurityPolicy?
    /// Whether the devices have private addresses that only bonded clients resolve, in place of their static ones. Needs
    /// an identity.
    public var isPrivate = false
    /// What the user answers.
    public var answers = Answers()
    /// How long from the start on bonded peers may pair again that have lost their keys; nil does not let them.
    public var pairingWindow: Duration?
    /// Whether out-of-band data is made at the start, and told, for clients that pair with it.
    public var publishesOutOfBand = false

    /// Channels that send back what comes on them, beside those of the files: numbers from
    /// `DeviceTable.channelNumbers`.
    public var echoChannels: [UInt16] = []

    /// The defaults: no pairing, no answers.
    public init() {}
}
