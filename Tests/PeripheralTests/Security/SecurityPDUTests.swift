// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing

/// The commands of Core 5.4, Vol 3, Part H, 3.5 and 3.6: literal octets, every wrong length, every invalid field.
@Suite struct SecurityPDUTests {
    static let features = PairingFeatures(
        ioCapability: .keyboardDisplay, hasOutOfBandData: true, requirements: [.bonding, .mitm, .secureConnections],
        maximumKeySize: 7, initiatorKeys: [.encryption], responderKeys: [.identity, .link])
    static let value = Value128(hex: "000102030405060708090a0b0c0d0e0f")
    static let x = Value256(hex: "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
    static let y = Value256(hex: "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b")

    /// One of each.
    static let all: [(pdu: SecurityPDU, octets: String)] = [
        (.pairingRequest(features), "0104010d07010a"),
        (.pairingResponse(features), "0204010d07010a"),
        (.confirm(value), "030f0e0d0c0b0a09080706050403020100"),
        (.random(value), "040f0e0d0c0b0a09080706050403020100"),
        (.failed(.confirmValueFailed), "0504"),
        (.encryptionInformation(value), "060f0e0d0c0b0a09080706050403020100"),
        (
            .centralIdentification(LTKIdentifier(diversifier: 0x1234, random: 0x0123_4567_89AB_CDEF)),
            "073412efcdab8967452301"
        ),
        (.identityInformation(value), "080f0e0d0c0b0a09080706050403020100"),
        (.identityAddress(BluetoothAddress(.random, "c1c2c3c4c5c6")), "0901c6c5c4c3c2c1"),
        (.signingInformation(value), "0a0f0e0d0c0b0a09080706050403020100"),
        (.securityRequest([.bonding, .secureConnections]), "0b09"),
        (
            .publicKey(x: x, y: y),
            "0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b020"
                + "8bd28915d08e1c742430ed8fc24563765c15525abf9a32636deb2a65499c80dc"
        ),
        (.keyCheck(value), "0d0f0e0d0c0b0a09080706050403020100"),
        (.keypress(4), "0e04"),
    ]

    @Test("Each command, there and back")
    func octets() throws {
        for (pdu, text) in SecurityPDUTests.all {
            #expect(hex(pdu.octets) == text)
            #expect(try SecurityPDU(TestSupport.octets(text)) == pdu)
        }
        #expect(SecurityPDUTests.all.map { $0.pdu.octets[0] } == Array(0x01...0x0E))
    }

    @Test("Each command cut at every length, and with octets behind")
    func lengths() {
        var accepted: [String] = []
        var wrongErrors = 0
        for (pdu, _) in SecurityPDUTests.all {
            let octets = pdu.octets
            for count in 1...80 where count != octets.count {
                let other = Array((octets + [UInt8](repeating: 0, count: 80)).prefix(count))
                do throws(SecurityPDU.ParseError) {
                    accepted.append("\(try SecurityPDU(other))")
                } catch {
                    if error != .length(pdu.code) { wrongErrors += 1 }
                }
            }
        }
        #expect(accepted == [] && wrongErrors == 0)
    }

    @Test("Reserved codes, and nothing at all, are to be ignored (3.3)")
    func reserved() {
        #expect(throws: SecurityPDU.ParseError.reserved) { try SecurityPDU([]) }
        for code in [0x00] + Array(0x0F...0xFF) {
            let octets = [UInt8(code)] + [UInt8](repeating: 0, count: 6)
            #expect(throws: SecurityPDU.ParseError.reserved) { try SecurityPDU(octets) }
        }
    }

    @Test(
        "A field with a value that it cannot have",
        arguments: [
            "01050009100303", "01ff0009100303", "01030209100303", "01030009060303", "01030009110303", "02030009000303",
            // Kinds that do not exist, and addresses that are no identity: resolvable and non-resolvable private ones.
            "0902c5c4c3c2c1c0", "0903c5c4c3c2c1c0", "0901c5c4c3c2c140", "0901c5c4c3c2c100", "0901c5c4c3c2c180",
            "0e05", "0eff",
        ])
    func fields(_ hex: String) {
        let octets = TestSupport.octets(hex)
        do throws(SecurityPDU.ParseError) {
            let pdu = try SecurityPDU(octets)
            Issue.record("\(pdu)")
        } catch {
            guard case .field(let code) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(code.rawValue == octets[0])
        }
    }

    @Test("Reserved bits of AuthReq and key distribution are kept, since check values cover them (3.5.1, 3.6.1)")
    func reservedBits() throws {
        let octets = TestSupport.octets("010300c910f3ff")
        #expect(try SecurityPDU(octets).octets == octets)
    }
}
