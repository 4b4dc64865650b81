// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning
import Peripheral
import WiFi
import WiFiStation
import TestSupport
import Testing

/// The description of a value, and the altered values of a faulty device.
@Suite struct NordicMessageMeaningTests {
    private static func message(_ characteristic: NordicCharacteristic, _ digits: String) -> NordicMessage {
        NordicMessage(
            step: .status, characteristic: characteristic, link: LinkID(slot: 0, generation: 1), octets: octets(digits))
    }

    @Test(
        arguments: [
            (.controlPoint, "08041000", "SUCCESS"), (.controlPoint, "1001", "INVALID_ARGUMENT, no operation"),
            (.controlPoint, "1002", "INVALID_PROTO, no operation"),
            (.controlPoint, "0801100052020800", "SUCCESS, state 0"),
            (.controlPoint, "0801", "no status"), (.controlPoint, "ff", "no response"),
            (.dataOut, "1004", "state 4"), (.dataOut, "10051800", "state 5, reason 0"), (.dataOut, "", "nothing"),
            (.dataOut, "0a", "no result"),
            (
                .dataOut, "0a210a140a04486f6d651206aabbccddeeff18012006280410ceffffffffffffffff01",
                "network \"Home\", -50 dBm"
            ),
        ] as [(NordicCharacteristic, String, String)])
    func aValueHasAMeaning(_ characteristic: NordicCharacteristic, _ digits: String, _ meaning: String) {
        #expect(Self.message(characteristic, digits).meaning == meaning)
    }

    @Test(
        arguments: [
            (.controlPoint, "08041000", 3, "08041003"), (.controlPoint, "0801100052020800", 1, "0801100152020800"),
            (.dataOut, "1004", 5, "1005"), (.dataOut, "10051800", 77, "104d1800"), (.information, "0802", 9, "0802"),
            (.dataOut, "ff", 1, "ff"),
        ] as [(NordicCharacteristic, String, Int32, String)])
    func itSaysAnotherCode(_ characteristic: NordicCharacteristic, _ digits: String, _ code: Int32, _ other: String) {
        #expect(Self.message(characteristic, digits).saying(code).octets == octets(other))
    }

    /// A response that does not fit a link is replaced by a shorter one, or by none.
    @Test func whatFitsALink() {
        func octets(_ limit: Int, shorter: [UInt8]?) -> [UInt8]? {
            NordicMessage(
                step: .status, characteristic: .controlPoint, link: LinkID(slot: 0, generation: 1),
                octets: [1, 2, 3, 4], shorter: shorter
            ).fitting(limit)?.octets
        }
        #expect(octets(4, shorter: [5, 6]) == [1, 2, 3, 4])
        #expect(octets(3, shorter: [5, 6]) == [5, 6])
        #expect(octets(2, shorter: [5, 6]) == [5, 6])
        #expect(octets(1, shorter: [5, 6]) == nil)
        #expect(octets(3, shorter: nil) == nil)
    }
}
