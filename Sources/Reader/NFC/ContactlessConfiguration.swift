// SPDX-License-Identifier: Apache-2.0

/// The applications for phones that touch the reader.
public struct ContactlessConfiguration: Equatable, Sendable {
    /// The access application.
    public var application = ApplicationID.access
    /// The NDEF message for phones without the app; empty for none.
    public var message: [UInt8] = []
    /// The reader's id, as in its advertising.
    public var deviceID = ""

    /// The default application, without an NDEF message.
    public init() {}

    /// The time that a command waits for its answer before the response requests polling. The phone gives the chip
    /// 155 ms (frame waiting integer 9), and this host cannot request more.
    public static let responseTimeout: Duration = .milliseconds(100)
}
