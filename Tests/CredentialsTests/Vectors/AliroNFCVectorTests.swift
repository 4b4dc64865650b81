// SPDX-License-Identifier: Apache-2.0

import CBOR
import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Credentials

/// Each value of the vectors of Aliro over NFC: the APDUs are replayed by `AliroVectorTests`, the values between them
/// are derived here.
@Suite struct AliroNFCVectorTests {
    private let file: VectorFile

    init() throws { file = try VectorFile("aliro") }

    private func octets(_ path: String) -> [UInt8] { file.octets(path) }

    @Test("Check 76: each vector has a consumer")
    func all() throws {
        try standard("nfc/standard")
        try standard("nfc/step_up")
        try standard("nfc/standard_with_certificate")
        try certificate("nfc/standard_with_certificate")
        try fast("nfc/fast")
        try document("nfc/step_up")
        for name in ["bad signature", "wrong kind", "bad tag"] { try failure("nfc/failures/\(name)") }
        #expect(file.text("nfc/failures/version/expect") == "CONTROL FLOW S1 00 S2 27")
        #expect(octets("nfc/failures/version/apdus/1/command").suffix(4).elementsEqual([0x00, 0x42, 0x01, 0x27]))
        replay("nfc/failures/version")
        try items()
        file.isConsumed()
    }

    private func parameters(_ path: String, group: String = "reader_public_key") throws -> AliroParameters {
        func input(_ name: String) -> [UInt8] { octets("\(path)/inputs/\(name)") }
        for name in ["reader", "credential", "reader_ephemeral", "device_ephemeral"] {
            let key = try P256PrivateKey(input("\(name)_private_key"))
            #expect([UInt8](key.publicPoint.octets) == input("\(name)_public_key"), "\(path) \(name)")
        }
        #expect(input("interface") == [AliroParameters.Interface.nfc.rawValue])
        #expect(input("protocol_version") == AliroParameters.version)
        var parameters = AliroParameters(
            groupPoint: input(group),
            readerIdentifier: input("reader_group_identifier") + input("reader_group_sub_identifier"),
            readerEphemeral: input("reader_ephemeral_public_key"), transaction: input("transaction_identifier"))
        parameters.flags = input("auth0_command_parameters") + input("authentication_policy")
        parameters.application = input("a5")
        parameters.deviceEphemeral = input("device_ephemeral_public_key")
        return parameters
    }

    /// The five keys of a phase, and those of Bluetooth, which the phase's keys lead to.
    private func keys(_ path: String, _ names: [String], _ block: [UInt8]) throws {
        func derived(_ name: String) -> [UInt8] { octets("\(path)/derived/\(name)") }
        #expect(block == derived("okm"))
        for (index, name) in names.enumerated() {
            #expect(Array(block[32 * index..<32 * (index + 1)]) == derived(name), "\(path) \(name)")
        }
        for side in ["BleSKReader", "BleSKDevice"] {
            let key = try AliroKeys.derive(
                32, derived("BleSK"), salt: derived("ble_salt"), info: Array(side.utf8))
            #expect(key == derived(side))
        }
    }

    private func standard(_ path: String) throws {
        func derived(_ name: String) -> [UInt8] { octets("\(path)/derived/\(name)") }
        let isCertified = file.has("\(path)/inputs/reader_ca_public_key")
        let parameters = try parameters(path, group: isCertified ? "reader_ca_public_key" : "reader_public_key")
        let point = octets("\(path)/inputs/credential_public_key")
        #expect(parameters.salt(.volatile) == derived("salt") && parameters.info == derived("info"))
        #expect(parameters.salt(.persistent, credential: point) == derived("salt_persistent"))
        #expect(parameters.signedOctets(.reader) == derived("reader_signature_input"))
        #expect(parameters.signedOctets(.device) == derived("device_signature_input"))
        for (key, side) in [("reader_public_key", "reader"), ("credential_public_key", "device")] {
            let isValid = try P256PublicKey(octets("\(path)/inputs/\(key)")).isValid(
                rawSignature: derived("\(side)_signature").span, for: derived("\(side)_signature_input").span)
            #expect(isValid, "\(path) \(side)")
        }
        let ephemeral = try P256PrivateKey(octets("\(path)/inputs/reader_ephemeral_private_key"))
        var shared = try ephemeral.sharedSecret(with: parameters.deviceEphemeral.span)
        #expect([UInt8](shared) == derived("ecdh_x"))
        let agreed = try parameters.agreedKey(&shared)
        #expect(agreed == derived("Kdh"))
        #expect(try parameters.persistentKey(agreed, credential: point) == derived("Kpersistent"))
        let block = try AliroKeys.derive(160, agreed, salt: derived("salt"), info: derived("info"))
        try keys(path, ["ExpeditedSKReader", "ExpeditedSKDevice", "StepUpSK", "BleSK", "URSK"], block)
        for side in ["Reader", "Device"] {
            let key = try AliroKeys.derive(
                32, derived("StepUpSK"), salt: [UInt8](repeating: 0, count: 32), info: Array("SK\(side)".utf8))
            #expect(key == derived("StepUpSK\(side)"))
        }
        if file.has("\(path)/expedited_channel") {
            #expect(octets("\(path)/expedited_channel/0/plaintext") == derived("auth1_response_plaintext"))
            try channel("\(path)/expedited_channel", derived("ExpeditedSKReader"), derived("ExpeditedSKDevice"))
        } else {
            // The certificate's vector lists no channel: its first message is that of AUTH1.
            var channel = AliroChannel(readerKey: derived("ExpeditedSKReader"), deviceKey: derived("ExpeditedSKDevice"))
            let sealed = Array(octets("\(path)/apdus/3/response").dropLast(2))
            #expect(try channel.open(sealed.span) == derived("auth1_response_plaintext"))
        }
        if file.has("\(path)/step_up_channel") {
            try channel("\(path)/step_up_channel", derived("StepUpSKReader"), derived("StepUpSKDevice"))
        }
        replay(path)
        #expect(file.text("\(path)/result").contains("0101"))
    }

    /// Each message of a channel, sealed as the vector has it, or opened.
    private func channel(_ path: String, _ readerKey: [UInt8], _ deviceKey: [UInt8]) throws {
        var channel = AliroChannel(readerKey: readerKey, deviceKey: deviceKey)
        var counters: [UInt8] = [0, 0]
        for index in 0..<file.count(path) {
            let plaintext = octets("\(path)/\(index)/plaintext")
            let sealed = octets("\(path)/\(index)/ciphertext_and_tag")
            let isReader = file.text("\(path)/\(index)/direction") == "reader to device"
            counters[isReader ? 0 : 1] += 1
            let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, isReader ? 0 : 1, 0, 0, 0, counters[isReader ? 0 : 1]]
            #expect(octets("\(path)/\(index)/iv") == nonce)
            if isReader {
                #expect(try channel.seal(plaintext) == sealed)
            } else {
                #expect(try channel.open(sealed.span) == plaintext)
            }
        }
    }

    /// The APDUs, in the order of their names; `AliroVectorTests` compares the reader's.
    private func replay(_ path: String) {
        let instructions: [String: UInt8] = [
            "SELECT": 0xA4, "AUTH0": 0x80, "LOAD CERT": 0xD1, "AUTH1": 0x81, "ENVELOPE": 0xC3, "GET RESPONSE": 0xC0,
            "EXCHANGE": 0xC9, "CONTROL FLOW": 0x3C,
        ]
        for index in 0..<file.count("\(path)/apdus") {
            let command = octets("\(path)/apdus/\(index)/command")
            #expect(instructions[file.text("\(path)/apdus/\(index)/name")] == command[1], "\(path) \(index)")
            #expect(octets("\(path)/apdus/\(index)/response").count >= 2)
        }
    }

    private func fast(_ path: String) throws {
        func derived(_ name: String) -> [UInt8] { octets("\(path)/derived/\(name)") }
        let parameters = try parameters(path)
        let point = octets("\(path)/inputs/credential_public_key")
        #expect(parameters.salt(.fast, credential: point) == derived("salt") && parameters.info == derived("info"))
        let persistent = octets("\(path)/inputs/Kpersistent")
        #expect(persistent == octets("nfc/standard/derived/Kpersistent"))
        let block = try AliroKeys.derive(160, persistent, salt: derived("salt"), info: derived("info"))
        try keys(path, ["CryptogramSK", "ExpeditedSKReader", "ExpeditedSKDevice", "BleSK", "URSK"], block)
        let (nonce, header, key) = ([UInt8](repeating: 0, count: 12), [UInt8](), derived("CryptogramSK"))
        var plaintext: [UInt8] = []
        try AES256GCM.open(
            derived("cryptogram").span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &plaintext)
        #expect(plaintext == derived("cryptogram_plaintext"))
        try channel("\(path)/expedited_channel", derived("ExpeditedSKReader"), derived("ExpeditedSKDevice"))
        replay(path)
        #expect(file.text("\(path)/result").contains("0101"))
    }

    private func certificate(_ path: String) throws {
        let authority = try P256PrivateKey(octets("\(path)/inputs/reader_ca_private_key")).publicKey
        let compressed = octets("\(path)/inputs/compressed_certificate")
        let certificate = try AliroReaderCertificate(compressed, authority: authority)
        #expect([UInt8](certificate.subject.octets) == octets("\(path)/inputs/reader_public_key"))
        #expect([UInt8](authority.point.octets) == octets("\(path)/inputs/reader_ca_public_key"))
        // Phones expand the certificate, not the reader; the key and the signature are in both forms.
        let x509 = octets("\(path)/inputs/x509")
        #expect(
            x509.contains(octets("\(path)/inputs/reader_public_key")) && x509.contains(Array(compressed.suffix(70))))
    }

    private func document(_ path: String) throws {
        func value(_ name: String) -> [UInt8] { octets("\(path)/document/\(name)") }
        let issuer = try P256PrivateKey(octets("\(path)/inputs/issuer_private_key"))
        #expect([UInt8](issuer.publicPoint.octets) == octets("\(path)/inputs/issuer_public_key"))
        let element = file.text("\(path)/inputs/element")
        #expect(try AliroDocumentExchange.request([.access], element: element) == octets("\(path)/device_request"))
        let response = value("whole_response")
        var store = AliroStore(
            binding: AliroReader(
                key: issuer, identifier: try #require(.init(group: AliroDoor.group, sub: AliroDoor.sub))
            ).binding)
        let anchor = AliroAnchor(issuer.publicKey)
        #expect(anchor.keyIdentifier == value("kid"))
        try store.include(anchor)
        let document = try AliroDocument(
            .access, in: response.span, element: element, for: octets("\(path)/inputs/credential_public_key"),
            trusting: store, at: Moment(instant: .origin, epochSeconds: AliroDoor.noon))
        #expect(document.element == value("element_value"))
        let isSigned = issuer.publicKey.isValid(rawSignature: value("signature").span, for: value("sig_structure").span)
        #expect(isSigned)
        let digest = try SHA256.hash(value("item").span)
        #expect([UInt8](digest) == value("item_digest"))
        for part in ["protected", "payload", "signature", "item", "kid"] {
            #expect(response.contains(value(part)), "\(part)")
        }
        #expect(value("payload").contains(value("item_digest")) && value("sig_structure").contains(value("payload")))
    }

    private func failure(_ path: String) throws {
        _ = try parameters(path)
        #expect(file.text("\(path)/expect_reader_status").hasPrefix("00"))
        replay(path)
    }

    private func items() throws {
        let slot = AliroCredential(try P256PublicKey(octets("items/key_slot/public_key"))).keySlot
        #expect(slot == octets("items/key_slot/slot"))
        let identifier = try #require(AliroReader.Identifier(group: AliroDoor.group, sub: AliroDoor.sub))
        // The poll role appends the CRC_A, which the simulated chip verifies.
        #expect(AliroECP.frame(identifier) == Array(octets("items/ecp_with_crc").dropLast(2)))
        let path = "items/nordic_certificate"
        let compressed = octets("\(path)/compressed")
        let certificate = try AliroReaderCertificate(compressed, authority: P256PublicKey(octets("\(path)/issuer")))
        #expect(octets("\(path)/x509").contains([UInt8](certificate.subject.octets)))
    }
}
