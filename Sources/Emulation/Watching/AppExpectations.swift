/// What the apps of a kind of device are to do: what the rules of `LinkReview` go by.
public struct AppExpectations: Equatable, Sendable {
    /// The characteristics, by the names that `subscribed` has, that an app has to subscribe to before its first request.
    public var subscribesFirst: [String] = []
    /// Whether requests need an encrypted link.
    public var needsEncryption = false
    /// Requests that are answered by a value, by step; the app has to wait for it before the next of them.
    public var requests: Set<String> = []
    /// The values that answer them, by step.
    public var answers: Set<String> = []
    /// Values that tell of a failure, by step: the app has to try again or to leave.
    public var failures: Set<String> = []
    /// Values after which there is nothing more to do, by step: the app has to leave.
    public var ends: Set<String> = []
    /// How long an app may do nothing after a failure or an end.
    public var reactionTime = Duration.seconds(30)
    /// How long an app that waits for nothing may do nothing.
    public var idleTime = Duration.seconds(60)
    /// Whether the device's values need more room than the smallest ATT_MTU leaves.
    public var needsLargeMTU = false

    /// No expectations but those of every device.
    public init() {}
}
