// SPDX-License-Identifier: Apache-2.0

/// The limits of the channel between the reader and the process that is its Matter lock: a line of JSON per message,
/// with the digits of its secret behind it, if it has one.
public enum LockChannelLimits {
    /// The version of the messages. Reader and process are of one release; another version ends the connection.
    public static let version = 6
    /// The maximum length of a line in octets: as many Aliro keys as a lock has, in digits, with their names.
    public static let lineCount = 10_240
    /// The maximum number of Aliro keys in a message: those of issuers, and of phones.
    public static let aliroKeyCount = 40
    /// The maximum number of changes of PINs in a message: the end of all, and as many others.
    public static let pinChangeCount = 40
    /// The length of an uncompressed point in octets.
    static let pointCount = 65
    /// The maximum length of a value of C1 or C2 in octets.
    public static let valueCount = 247
    /// The length of the service data of commissionable advertising in octets (Matter Core 5.4.2.5.6).
    public static let serviceDataCount = 8
    /// The maximum number of fabrics in a state (Matter Core 11.18.5.3); they fit in a line.
    static let fabricCount = 5
    /// The maximum length of the device's identifier and of the firmware's version in octets.
    static let textCount = 32
}
