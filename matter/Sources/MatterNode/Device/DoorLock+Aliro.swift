// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import MatterTLV
import Timekeeping

/// Provisioning of an Aliro reader (feature ALIRO, without ALBU): its configuration, and its keys as credentials of
/// users.
extension NodeModel {
    static let userFeature: UInt32 = 0x100
    static let aliroFeature: UInt32 = 0x2000
    /// The versions of the expedited transaction, of two octets each: 1.0.
    private static let aliroVersions: [[UInt8]] = [[0x01, 0x00]]

    static func userAttributes(_ traits: LockTraits) -> [AttributeDeclaration] {
        let pins: [AttributeID] = traits.hasPINs ? [0x12, 0x17, 0x18] : []
        return ([0x11] + pins + [0x1B, 0x1C]).map { AttributeDeclaration($0, isFixed: true) }
    }

    static let aliroAttributes = [
        AttributeDeclaration(0x80, readPrivilege: .administer), AttributeDeclaration(0x81, readPrivilege: .administer),
        AttributeDeclaration(0x82, readPrivilege: .administer, isFixed: true),
        AttributeDeclaration(0x83, readPrivilege: .administer, isList: true, isFixed: true),
        AttributeDeclaration(0x87, isFixed: true), AttributeDeclaration(0x88, isFixed: true),
    ]
    static let userCommands = [
        CommandDeclaration(0x1A, privilege: .administer, isTimed: true),
        CommandDeclaration(0x1B, privilege: .administer, response: 0x1C),
        CommandDeclaration(0x1D, privilege: .administer, isTimed: true),
        CommandDeclaration(0x22, privilege: .administer, isTimed: true, response: 0x23),
        CommandDeclaration(0x24, privilege: .administer, response: 0x25),
        CommandDeclaration(0x26, privilege: .administer, isTimed: true),
    ]
    static let aliroCommands = [
        CommandDeclaration(0x28, privilege: .administer, isTimed: true),
        CommandDeclaration(0x29, privilege: .administer, isTimed: true),
    ]

    func readUsers(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        let users = state.users
        switch attribute {
        case 0x11: writer.unsigned(LockUsers.maximumUsers, as: tag)
        // The rule Single.
        case 0x1B: writer.unsigned(UInt8(1), as: tag)
        case 0x1C: writer.unsigned(LockUsers.maximumCredentialsPerUser, as: tag)
        case 0x80: writer.nullable(octets: users.reader?.verificationKey, as: tag)
        case 0x81: writer.nullable(octets: users.reader?.group, as: tag)
        case 0x82: writer.octets(users.sub, as: tag)
        case 0x83:
            writer.array(as: tag) { list in
                for version in NodeModel.aliroVersions { list.octets(version, as: .anonymous) }
            }
        case 0x87: writer.unsigned(LockUsers.maximumIssuers, as: tag)
        case 0x88: writer.unsigned(LockUsers.maximumEndpoints, as: tag)
        default: return false
        }
        return true
    }

    mutating func invokeUsers(_ command: CommandID, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0x1A: try setUser(call)
        case 0x1B: try getUser(call)
        case 0x1D: try clearUser(call)
        case 0x22: try setCredential(call)
        case 0x24: try getCredentialStatus(call)
        case 0x26: try clearCredential(call)
        case 0x28: try setAliroReaderConfig(call)
        case 0x29: try clearAliroReaderConfig(call)
        default: throw StatusInformation(.unsupportedCommand)
        }
    }

    /// The private key has to be that of the verification key: phones know no other key of the reader.
    private mutating func setAliroReaderConfig(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let fabric = try call.fabric
        let signing = SecretOctets(try call.fields.octets(0, exactly: 32))
        let verification = try call.fields.octets(1, exactly: P256Point.count)
        let group = try call.fields.octets(2, exactly: LockUsers.identifierCount)
        guard !call.fields.has(3) else { throw StatusInformation(.invalidCommand) }
        guard state.users.reader == nil else { throw StatusInformation(.invalidInState) }
        guard let point = try? P256PublicKey(point: verification.span).point,
            let key = try? P256PrivateKey(scalar: signing.octets.span), key.publicPoint == point
        else { throw StatusInformation(.constraintError) }
        var users = state.users
        users.reader = AliroReaderParameters(verificationKey: verification, group: group, sub: users.sub)
        users.readerCreator = fabric
        return try commit(users, [], call, signingKey: signing)
    }

    private mutating func clearAliroReaderConfig(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        var users = state.users
        (users.reader, users.readerCreator) = (nil, nil)
        return try commit(users, [], call)
    }
}

extension TLVWriter {
    /// Writes octets, or a null.
    fileprivate mutating func nullable(octets: [UInt8]?, as tag: TLVTag) {
        if let octets { self.octets(octets, as: tag) } else { null(as: tag) }
    }
}
