// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import MatterTLV

/// The stored form. The reader alone keeps its private key. PINs are not stored, but verifiers.
extension LockUsers {
    func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.structure(as: tag) { entry in
            entry.array(as: 0) { list in
                for user in users { user.write(into: &list) }
            }
            entry.array(as: 1) { list in
                for credential in credentials { credential.write(into: &list) }
            }
            // A lock without Aliro has none.
            if !sub.isEmpty { entry.octets(sub, as: 2) }
            guard let reader else { return }
            entry.structure(as: 3) { entry in
                entry.octets(reader.verificationKey, as: 0)
                entry.octets(reader.group, as: 1)
                entry.unsigned(readerCreator?.rawValue ?? 0, as: 2)
            }
        }
    }

    init(_ element: TLVElement, known: (FabricIndex) throws -> FabricIndex) throws {
        let fields = try element.structure()
        for element in try fields.required(0).array() {
            let user = try LockUser(element, known: known)
            guard users.last?.index ?? 0 < user.index, user.index <= LockUsers.maximumUsers else {
                throw MatterStateError.damaged
            }
            users.append(user)
        }
        for element in try fields.required(1).array() {
            let credential = try LockCredential(element, known: known)
            let (kind, index) = (credential.kind, credential.index)
            guard (1...LockUsers.maximum(kind)).contains(index), hasRoom(for: kind),
                self.credential(kind, index) == nil, user(credential.user) != nil,
                self.credential(with: credential.data) == nil
            else { throw MatterStateError.damaged }
            credentials.append(credential)
        }
        sub = try fields[2]?.octets(exactly: LockUsers.identifierCount) ?? []
        guard let element = fields[3] else { return }
        guard !sub.isEmpty else { throw MatterStateError.damaged }
        let part = try element.structure()
        reader = AliroReaderParameters(
            verificationKey: try part.required(0).point(),
            group: try part.required(1).octets(exactly: LockUsers.identifierCount), sub: sub)
        readerCreator = try known(FabricIndex(rawValue: try part.required(2).unsigned()))
    }
}

extension LockUser {
    fileprivate func write(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.unsigned(index, as: 0)
            entry.text(name, as: 1)
            entry.unsigned(uniqueID, as: 2)
            entry.bool(isEnabled, as: 3)
            entry.unsigned(kind.rawValue, as: 4)
            entry.unsigned(creator.rawValue, as: 5)
            entry.nullable(modifier?.rawValue, as: 6)
        }
    }

    fileprivate init(_ element: TLVElement, known: (FabricIndex) throws -> FabricIndex) throws {
        let fields = try element.structure()
        guard let kind = Kind(rawValue: try fields.required(4).unsigned()) else { throw MatterStateError.damaged }
        self.init(
            index: try fields.required(0).unsigned(), name: try fields.required(1).text(upTo: LockUser.nameCount),
            uniqueID: try fields.required(2).unsigned(), isEnabled: try fields.required(3).bool(), kind: kind,
            creator: try known(FabricIndex(rawValue: try fields.required(5).unsigned())),
            modifier: try fields.required(6).fabric(known))
    }
}

extension LockCredential {
    fileprivate func write(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.unsigned(kind.rawValue, as: 0)
            entry.unsigned(index, as: 1)
            entry.unsigned(user, as: 2)
            entry.octets(data, as: 3)
            entry.unsigned(creator.rawValue, as: 4)
            entry.nullable(modifier?.rawValue, as: 5)
            entry.bool(isGranted, as: 6)
        }
    }

    fileprivate init(_ element: TLVElement, known: (FabricIndex) throws -> FabricIndex) throws {
        let fields = try element.structure()
        guard let kind = LockCredentialKind(rawValue: try fields.required(0).unsigned()) else {
            throw MatterStateError.damaged
        }
        let data = try fields.required(3)
        self.init(
            kind: kind, index: try fields.required(1).unsigned(), user: try fields.required(2).unsigned(),
            data: kind == .pin ? try data.octets(exactly: LockPINs.verifierCount) : try data.point(),
            isGranted: try fields[6]?.bool() ?? false,
            creator: try known(FabricIndex(rawValue: try fields.required(4).unsigned())),
            modifier: try fields.required(5).fabric(known))
    }
}

extension TLVElement {
    /// An uncompressed point on the curve.
    fileprivate func point() throws -> [UInt8] {
        let octets = try octets(exactly: P256Point.count)
        _ = try P256PublicKey(point: octets.span)
        return octets
    }

    fileprivate func fabric(_ known: (FabricIndex) throws -> FabricIndex) throws -> FabricIndex? {
        isNull ? nil : try known(FabricIndex(rawValue: try unsigned()))
    }
}
