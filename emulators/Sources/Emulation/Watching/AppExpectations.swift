// SPDX-License-Identifier: Apache-2.0

/// The expected behaviour of apps with a kind of device, on which the rules of `LinkReview` are based.
public struct AppExpectations: Equatable, Sendable {
    /// True if the protocol has writes without response.
    public var allowsWriteWithoutResponse = false
    /// The steps of requests that are answered by a value, for which the app has to wait before its next request.
    public var requests: Set<String> = []
    /// The steps of the answering values.
    public var answers: Set<String> = []
    /// The steps of requests after which the device is at work, however long, and the app waits.
    public var begins: Set<String> = []
    /// The steps of values that end that work, in addition to `failures` and `ends`.
    public var concludes: Set<String> = []
    /// The steps of values that report a failure, after which the app has to retry or to disconnect.
    public var failures: Set<String> = []
    /// The steps of final values, after which the app has to disconnect.
    public var ends: Set<String> = []
    /// The maximum time without a reaction to a failure or a final value.
    public var reactionTime = Duration.seconds(30)
    /// The maximum time without activity of an app that awaits nothing; nil for no limit.
    public var idleTime: Duration? = .seconds(60)
    /// The time after which an app may give up an answer.
    public var patience = Duration.seconds(3)

    /// The expectations common to all devices.
    public init() {}
}
