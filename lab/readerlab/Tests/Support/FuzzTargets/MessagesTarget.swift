// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

/// Octets as a message of the kind that the first octet chooses: what is understood is written, and is the same again.
func fuzzMessages(_ input: inout FuzzInput) {
    let kind = input.number(below: messageKinds.count)
    let octets = input.rest()
    messageKinds[kind](octets)
}

/// Every kind of message. Seeds name a kind by its place here: new ones go to the end.
private let messageKinds: [@Sendable ([UInt8]) -> Void] = [
    tried(SystemConfig.self),
    tried(BaseConfig.self),
    tried(BleConfig.self),
    tried(OnlineConfig.self),
    tried(CredentialId.self),
    tried(BlacklistEntry.self),
    tried(BlacklistEntries.self),
    tried(AccessConfig.self),
    tried(AccessConfigGroup.self),
    tried(OssConfig.self),
    tried(LockConfig.self),
    tried(Event.self),
    tried(EventLogQuery.self),
    tried(EventLogResult.self),
    tried(SystemLogQuery.self),
    tried(SystemLogEntry.self),
    tried(SystemLogResult.self),
    tried(SystemUpdate.self),
    tried(SystemProvisioning.self),
    tried(OssSoMobile.self),
    tried(OssSidMobile.self),
    tried(OssAccessResult.self),
    tried(OssAccessEventsResult.self),
    tried(SessionHandshake.self),
    tried(SessionHandshakeReply.self),
    tried(SessionTokenCommand.self),
    tried(SessionToken.self),
    tried(SessionResult.self),
    tried(VersionInfo.self),
    tried(BleManufacturerInfo.self),
    tried(LockStatus.self),
    tried(SystemSettings.self),
    tried(SystemStatus.self),
    tried(LocalTimestamp.self),
    tried(LocalTimeperiod.self),
    tried(LocalTimeSchedule.self),
    tried(SystemTimeUnix.self),
]

private func tried<Message: ProtobufMessage>(_ kind: Message.Type) -> @Sendable ([UInt8]) -> Void {
    { octets in
        do throws(ProtobufError) {
            let message = try Message(decoding: octets.span)
            var written: [UInt8] = []
            message.encode(into: &written)
            require(written.count == message.encodedCount, "\(kind): another count than foretold")
            demand(message, written) { octets throws(ProtobufError) in try Message(decoding: octets.span) }
            var delimited: [UInt8] = []
            message.encodeDelimited(into: &delimited)
            require(delimited.count == message.delimitedCount, "\(kind): another delimited count than foretold")
            delimited += [0, 0, 0]
            demand(message, delimited) { octets throws(ProtobufError) in
                try Message(decodingDelimitedPrefixOf: octets.span)
            }
        } catch {}
        do throws(ProtobufError) {
            let message = try Message(decodingDelimitedPrefixOf: octets.span)
            var written: [UInt8] = []
            message.encodeDelimited(into: &written)
            demand(message, written) { octets throws(ProtobufError) in try Message(decodingDelimited: octets.span) }
        } catch {}
    }
}

/// Requires that an encoded message decodes to itself.
private func demand<Message: ProtobufMessage>(
    _ message: Message, _ written: [UInt8], _ read: ([UInt8]) throws(ProtobufError) -> Message
) {
    do throws(ProtobufError) {
        require(try read(written) == message, "\(Message.self): written and read, it is another one")
    } catch {
        finding("\(Message.self): what was written cannot be read: \(error)")
    }
}
