// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Credentials

/// A transaction over Bluetooth LE of an independent implementation, octet for octet, and its advertising data.
@Suite struct AliroLinkVectorTests {
    private let file: VectorFile

    init() throws { file = try VectorFile("aliro-ble") }

    private func input(_ name: String) -> [UInt8] { file.octets("rke/inputs/\(name)") }
    private func derived(_ name: String) -> [UInt8] { file.octets("rke/derived/\(name)") }

    @Test("Check 76: each vector over Bluetooth LE has a consumer")
    func all() throws {
        try replay()
        try keys()
        try advertisement()
        for name in ["reader", "credential", "reader_ephemeral", "device_ephemeral"] {
            let key = try P256PrivateKey(input("\(name)_private_key"))
            #expect([UInt8](key.publicPoint.octets) == input("\(name)_public_key"))
        }
        #expect(file.octets("rke/clear_messages/busy") == AliroLinkMessage.message(.event, [0x00, 0x00]))
        #expect(
            file.octets("rke/clear_messages/general_error_unknown")
                == AliroLinkMessage.message(.event, AliroLinkMessage.generalError))
        // A reader with two versions in its list; this one has one.
        #expect(file.octets("salt_two_versions") == [0x01, 0x00, 0x00, 0x09] + AliroLinkTransaction.version)
        file.isConsumed()
    }

    private func replay() throws {
        let identifier = try #require(
            AliroReader.Identifier(
                group: input("reader_group_identifier"), sub: input("reader_group_sub_identifier")))
        let reader = AliroReader(
            key: AliroVectorTests.VectorKey(
                key: try P256PrivateKey(input("reader_private_key")), message: derived("reader_signature_input"),
                signature: derived("reader_signature")), identifier: identifier)
        var store = AliroStore(binding: reader.binding)
        try store.include(AliroCredential(try P256PublicKey(input("credential_public_key"))))
        var transaction = AliroLinkTransaction(
            AliroTransaction(
                reader: reader, store: store, at: Moment(instant: .origin, epochSeconds: AliroDoor.noon), in: .utc,
                ephemeral: try P256PrivateKey(input("reader_ephemeral_private_key")),
                transaction: input("transaction_identifier"), over: .bluetooth))
        transaction.observe(.origin, isUnlocked: false)
        var step = transaction.start()
        var evidence: CardEvidence?
        for index in 0..<file.count("rke/messages") {
            let path = "rke/messages/\(index)"
            #expect(!file.text("\(path)/name").isEmpty)
            if file.has("\(path)/plaintext") { #expect(file.octets("\(path)/plaintext").count > 4) }
            let wire = file.octets("\(path)/wire")
            if file.text("\(path)/to") == "reader" {
                step = transaction.receive(wire.span)
                if case .decide(let proven) = step {
                    evidence = proven
                    transaction.observe(.origin, isUnlocked: true)
                    step = transaction.conclude(.opened)
                }
            } else {
                switch step {
                case .send(let unit), .end(.concluded, let unit): #expect(unit == wire, "message \(index)")
                default: Issue.record("message \(index): \(step)")
                }
            }
        }
        #expect(evidence?.identity == input("credential_public_key"))
        guard case .persistentKey(let key, let point, _) = transaction.effects.last else {
            Issue.record("no persistent key")
            return
        }
        #expect(key.octets == derived("Kpersistent") && point == input("credential_public_key"))
        transaction.wipe()
        #expect(transaction.effects.isEmpty)
    }

    private func keys() throws {
        var parameters = AliroParameters(
            groupPoint: input("reader_public_key"),
            readerIdentifier: input("reader_group_identifier") + input("reader_group_sub_identifier"),
            readerEphemeral: input("reader_ephemeral_public_key"), transaction: input("transaction_identifier"),
            interface: .bluetooth)
        #expect(input("interface") == [parameters.interface.rawValue])
        #expect(input("protocol_version") == AliroParameters.version)
        parameters.flags = input("auth0_command_parameters") + input("authentication_policy")
        parameters.application = input("a5")
        parameters.deviceEphemeral = input("device_ephemeral_public_key")
        #expect(parameters.salt(.volatile) == derived("salt") && parameters.info == derived("info"))
        #expect(
            parameters.salt(.persistent, credential: input("credential_public_key")) == derived("salt_persistent"))
        #expect(parameters.signedOctets(.reader) == derived("reader_signature_input"))
        #expect(parameters.signedOctets(.device) == derived("device_signature_input"))
        var shared = try P256PrivateKey(input("reader_ephemeral_private_key")).sharedSecret(
            with: parameters.deviceEphemeral.span)
        #expect([UInt8](shared) == derived("ecdh_x"))
        #expect(try parameters.agreedKey(&shared) == derived("Kdh"))
        let block = ["ExpeditedSKReader", "ExpeditedSKDevice", "StepUpSK", "BleSK", "URSK"].flatMap(derived)
        #expect(block == derived("okm"))
        #expect(derived("ble_salt") == AliroLinkTransaction.version + AliroLinkTransaction.version)
        for side in ["Reader", "Device"] {
            #expect(
                try AliroKeys.derive(
                    32, derived("BleSK"), salt: derived("ble_salt"), info: Array("BleSK\(side)".utf8))
                    == derived("BleSK\(side)"))
            #expect(
                try AliroKeys.derive(
                    32, derived("StepUpSK"), salt: [UInt8](repeating: 0, count: 32), info: Array("SK\(side)".utf8))
                    == derived("StepUpSK\(side)"))
        }
        let device = try P256PublicKey(input("credential_public_key"))
        let isValid = device.isValid(
            rawSignature: derived("device_signature").span, for: derived("device_signature_input").span)
        #expect(isValid && derived("auth1_response_plaintext").count > 130)
    }

    private func advertisement() throws {
        func octets(_ name: String) -> [UInt8] { file.octets("advertisement/\(name)") }
        let identifier = try #require(AliroReader.Identifier(group: octets("group"), sub: octets("sub")))
        let packet = try #require(AliroAdvertisement(identifier, resolvingKey: octets("grk")))
        let expiry = octets("expiry").reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let data = try packet.data(address: octets("adva_msb_first"), expiry: expiry)
        #expect(data == octets("data"))
        #expect(octets("flags") == [AliroAdvertisement.flags] && octets("tx_power") == [0x00])
    }
}
