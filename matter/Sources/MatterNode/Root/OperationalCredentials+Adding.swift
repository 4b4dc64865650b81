// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV

/// Attestation, and the commands that create a fabric, in the order of commissioning.
extension NodeModel {
    mutating func attest(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        var nonce = try nonce(call)
        interposer?.changeAttestation(nonce: &nonce)
        let attestation = configuration.attestation
        let elements = attestation.elements(nonce: nonce, time: nil)
        let signature = try signature(over: elements, call)
        return .response(0x01) { response in
            response.octets(elements, as: 0)
            response.octets(signature, as: 1)
        }
    }

    func attestationCertificate(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let certificate: [UInt8]
        switch try call.fields.unsigned(0, UInt8.self) {
        case 1: certificate = configuration.attestation.dac
        case 2: certificate = configuration.attestation.pai
        default: throw StatusInformation(.invalidCommand)
        }
        return .response(0x03) { $0.octets(certificate, as: 0) }
    }

    mutating func requestCertificate(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let nonce = try nonce(call)
        let isForUpdate = try call.fields.flag(1)
        var failSafe = try requireFailSafe(call.accessor)
        guard failSafe.credentials == nil else { throw StatusInformation(.constraintError) }
        guard !isForUpdate || !call.isOverPASE else { throw StatusInformation(.invalidCommand) }
        let elements: [UInt8]
        do {
            let key = try P256PrivateKey.generate()
            elements = try CertificateSigningRequest(for: key).elements(nonce: nonce)
            failSafe.request = FailSafe.Request(key: key, isForUpdate: isForUpdate)
        } catch {
            throw StatusInformation(.failure)
        }
        self.failSafe = failSafe
        var signature = try signature(over: elements, call)
        interposer?.changeRequest(signature: &signature)
        return .response(0x05) { response in
            response.octets(elements, as: 0)
            response.octets(signature, as: 1)
        }
    }

    private func nonce(_ call: Invocation) throws(StatusInformation) -> [UInt8] {
        let nonce = try call.fields.octets(0)
        guard nonce.count == DeviceAttestation.nonceCount else { throw StatusInformation(.invalidCommand) }
        return nonce
    }

    private func signature(over elements: [UInt8], _ call: Invocation) throws(StatusInformation) -> [UInt8] {
        do {
            return try configuration.attestation.signature(
                over: elements, challenge: call.accessor.attestationChallenge)
        } catch {
            throw StatusInformation(.failure)
        }
    }

    mutating func addRoot(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let octets = try call.fields.octets(0)
        var failSafe = try requireFailSafe(call.accessor)
        guard failSafe.root == nil, failSafe.credentials == nil else { throw StatusInformation(.constraintError) }
        do throws(CertificateError) {
            let root = try OperationalCertificate(tlv: octets)
            try OperationalChain.verify(root: root)
            failSafe.root = root
        } catch {
            refusalReason = error.description
            throw StatusInformation(.invalidCommand)
        }
        self.failSafe = failSafe
        return .done
    }

    mutating func addFabric(_ call: Invocation) throws -> FabricIndex {
        // Over CASE, an administrator could add another fabric without a window.
        guard call.isOverPASE || !configuration.asksForWindows else { throw StatusInformation(.unsupportedAccess) }
        let node = try call.fields.octets(0)
        let intermediate = try call.fields.optionalOctets(1)
        let groupKey = try call.fields.octets(2)
        let administrator = NodeID(rawValue: try call.fields.unsigned(3))
        let vendor = VendorID(rawValue: try call.fields.unsigned(4))
        var failSafe = try requireFailSafe(call.accessor)
        guard failSafe.credentials == nil else { throw StatusInformation(.constraintError) }
        guard groupKey.count == 16, (1...0xFFF4).contains(vendor.rawValue) else {
            throw StatusInformation(.invalidCommand)
        }
        guard let request = failSafe.request else { throw CredentialRefusal.withoutRequest }
        guard !request.isForUpdate else { throw StatusInformation(.constraintError) }
        guard let root = failSafe.root else {
            throw CredentialRefusal(.invalidCertificate, "AddTrustedRootCertificate did not come before")
        }
        guard administrator.isOperational || administrator.authenticatedTag.map({ $0.version > 0 }) == true else {
            throw CredentialRefusal(
                .invalidAdministrator, "CaseAdminSubject is neither a node nor a CASE authenticated tag")
        }
        let certificates = try Certificates(node, intermediate, root, request.key, at: certificateTime)
        guard
            !state.fabrics.contains(where: {
                $0.identity.fabricID == certificates.fabric && $0.identity.rootPublicKey == root.publicKey
            })
        else { throw CredentialRefusal(.fabricConflict, "the device is on this fabric already") }
        guard let index = state.reserveFabricIndex() else {
            throw CredentialRefusal(.tableFull, "\(Limits.fabrics) fabrics are the most")
        }
        let identity = try OperationalIdentity(
            index: index, root: root, intermediate: certificates.intermediate, node: certificates.node,
            groupKey: groupKey, key: request.key)
        state.put(Fabric(identity: identity, key: request.key, vendor: vendor, label: ""))
        let entry = AccessControlEntry(
            fabric: index, privilege: .administer, authenticationMode: .case, subjects: [administrator], targets: nil)
        state.accessEntries.append(entry)
        failSafe.credentials = .added(index)
        failSafe.fabric = index
        self.failSafe = failSafe
        if call.isOverPASE { requests.append(.bind(session: call.accessor.session, to: index)) }
        changed(.root, .accessControl, 0)
        recordAccessChange(nil, entry, by: call.accessor.authentication, fabric: index, at: call.now)
        credentialsChanged()
        notice(.fabricAdded(index, node: identity.nodeID))
        return index
    }

    mutating func updateFabric(_ call: Invocation) throws -> FabricIndex {
        let node = try call.fields.octets(0)
        let intermediate = try call.fields.optionalOctets(1)
        let index = try call.fabric
        var failSafe = try requireFailSafe(call.accessor)
        guard !call.isOverPASE, let previous = state.fabric(index) else { throw StatusInformation(.unsupportedAccess) }
        guard failSafe.credentials == nil, failSafe.root == nil else { throw StatusInformation(.constraintError) }
        guard let request = failSafe.request else { throw CredentialRefusal.withoutRequest }
        guard request.isForUpdate else { throw StatusInformation(.constraintError) }
        let root = previous.identity.root
        let certificates = try Certificates(node, intermediate, root, request.key, at: certificateTime)
        guard certificates.fabric == previous.identity.fabricID else {
            throw CredentialRefusal(.invalidCertificate, "the node certificate is for another fabric")
        }
        let identity = try OperationalIdentity(
            index: index, root: root, intermediate: certificates.intermediate, node: certificates.node,
            groupKey: previous.identity.groupKey, key: request.key)
        state.put(Fabric(identity: identity, key: request.key, vendor: previous.vendor, label: previous.label))
        failSafe.credentials = .updated(previous: previous)
        self.failSafe = failSafe
        requests.append(.endSessions(of: index, after: call.accessor.session))
        credentialsChanged()
        notice(.fabricUpdated(index))
        return index
    }

    /// The time for checking the validity of certificates.
    private var certificateTime: MatterTime {
        MatterTime(unixTime: epochSeconds ?? lastKnownGoodTime) ?? MatterTime(rawValue: .max)
    }
}

/// The certificates of AddNOC or UpdateNOC, verified.
private struct Certificates {
    let node: OperationalCertificate
    let intermediate: OperationalCertificate?
    let fabric: FabricID

    init(
        _ node: [UInt8], _ intermediate: [UInt8]?, _ root: OperationalCertificate, _ key: P256PrivateKey,
        at time: MatterTime
    ) throws(CredentialRefusal) {
        do throws(CertificateError) {
            self.node = try OperationalCertificate(tlv: node)
            if let intermediate {
                self.intermediate = try OperationalCertificate(tlv: intermediate)
            } else {
                self.intermediate = nil
            }
            let identity = try OperationalChain.verify(
                node: self.node, intermediate: self.intermediate, root: root, at: time)
            fabric = identity.fabric
        } catch {
            throw CredentialRefusal(.invalidCertificate, error.description)
        }
        guard self.node.subject.nodeID?.isOperational == true else {
            throw CredentialRefusal(.invalidNodeID, "the node identifier is not operational")
        }
        let point = key.publicPoint.octets
        guard self.node.publicKey.elementsEqual(point.indices.lazy.map { point[$0] }) else {
            throw CredentialRefusal(.invalidPublicKey, "the node certificate is not for the key of the last CSRRequest")
        }
    }
}

extension CredentialRefusal {
    fileprivate static let withoutRequest = CredentialRefusal(
        .missingRequest, "CSRRequest did not come before, or the fail-safe has ended since")
}
