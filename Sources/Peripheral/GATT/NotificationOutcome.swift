// SPDX-License-Identifier: Apache-2.0

/// The result of a notification.
public enum NotificationOutcome: Equatable, Sendable {
    /// It is queued or sent, in order.
    case accepted
    /// The link's queue is full; `writable` follows when there is room.
    case busy
    /// The client has not subscribed, or lacks the permission.
    case notSubscribed
    /// The link does not exist.
    case gone
    /// The value exceeds the link's ATT_MTU.
    case tooLong
}
