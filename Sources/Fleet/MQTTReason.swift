// SPDX-License-Identifier: Apache-2.0

/// The reason codes of a broker that mean something to a link or a back end (MQTT 5, 2.4).
public enum MQTTReason {
    /// The message has no subscriber (MQTT 5, 3.4.2.1).
    public static let noSubscriber = 0x10
    /// The first of the failures.
    public static let firstFailure = 0x80
    /// The broker does not speak version 5 (MQTT 5, 3.2.2.2).
    public static let unsupportedVersion = 0x84
}
