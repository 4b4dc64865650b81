// SPDX-License-Identifier: Apache-2.0

public import Protobuf

/// The result of a command: the data of a `SessionResult`.
public enum CommandResult {
    /// Appends a delimited result message, as phones expect it.
    ///
    /// A command without a result must append no octets at all; the phone reports −4 otherwise. A result of more than
    /// 1792 octets has no encoding; `AccessSession.finish` answers it with −30.
    public static func append(_ message: some ProtobufMessage, to data: inout [UInt8]) {
        message.encodeDelimited(into: &data)
    }
}
