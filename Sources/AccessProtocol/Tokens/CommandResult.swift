public import Protobuf

/// What a command answers: the data of a `SessionResult`.
public enum CommandResult {
    /// Appends a result message as the phone expects it, its length first.
    ///
    /// A command without a result answers with no octets at all, or the phone reports −4. A result of more than
    /// 1792 octets has no encoding; `AccessSession.finish` answers it with −30.
    public static func append(_ message: some ProtobufMessage, to data: inout [UInt8]) {
        message.encodeDelimited(into: &data)
    }
}
