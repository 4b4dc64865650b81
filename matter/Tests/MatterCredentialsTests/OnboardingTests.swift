// SPDX-License-Identifier: Apache-2.0

import MatterCredentials
import MatterTLV
import TestSupport
import Testing

/// Matter Core 5.1: onboarding payload.
@Suite("Onboarding codes: QR text and manual code, both ways")
struct OnboardingTests {
    private struct Vector {
        let vendor: VendorID
        let product: ProductID
        let discovery: OnboardingPayload.DiscoveryCapabilities
        let discriminator: UInt16
        let passcode: UInt32
        var additionalData: [UInt8] = []
        let qrText: String

        func payload() throws -> OnboardingPayload {
            try OnboardingPayload(
                vendor: vendor, product: product, discovery: discovery, discriminator: discriminator,
                passcode: SetupPasscode(passcode), additionalData: additionalData)
        }
    }

    private static let vectors = [
        Vector(
            vendor: 9050, product: 65279, discovery: .bluetooth, discriminator: 2976, passcode: 34_567_890,
            qrText: "MT:YNJV7VSC00CMVH7SR00"),
        Vector(
            vendor: 0xFFF1, product: 0x8001, discovery: .bluetooth, discriminator: 3840, passcode: 20_202_021,
            qrText: "MT:-24J042C00KA0648G00"),
        Vector(
            vendor: 0xFFF1, product: 0x8000, discovery: .onNetwork, discriminator: 3840, passcode: 20_202_021,
            qrText: "MT:Y.K90AFN00KA0648G00"),
        Vector(
            vendor: 9050, product: 65279, discovery: .bluetooth, discriminator: 2976, passcode: 34_567_890,
            additionalData: [1, 2, 3], qrText: "MT:YNJV7VSC00CMVH7E4810AK00"),
        Vector(
            vendor: 0xFFF1, product: 0x8001, discovery: .onNetwork, discriminator: 3840, passcode: 20_202_021,
            // A serial number: a structure with a text of context tag 0.
            additionalData: [0x15, 0x2C, 0x00, 0x0A] + Array("1234567890".utf8) + [0x18],
            qrText: "MT:-24J0AFN00KA064IJ3P0IXZB0DK5N1K8SQ1RYCU1-A40"),
    ]

    @Test("Published QR texts")
    func qrTexts() throws {
        for vector in OnboardingTests.vectors {
            let payload = try vector.payload()
            #expect(payload.qrText == vector.qrText)
            #expect(try OnboardingPayload(qrText: vector.qrText) == payload)
        }
    }

    @Test("The codes of a window that an administrator opened, as recorded")
    func windowCodes() throws {
        let payload = try OnboardingPayload(qrText: "MT:00000MNY16XS1575U00")
        #expect(payload.vendor == 0)
        #expect(payload.product == 0)
        #expect(payload.manualCode == "21266422916")
        #expect(payload.qrText == "MT:00000MNY16XS1575U00")
    }

    @Test("Published manual codes, with and without separators")
    func manualCodes() throws {
        let codes: [(discriminator: UInt16, passcode: UInt32, product: ManualCode.Product?, text: String)] = [
            (2976, 34_567_890, nil, "26318621095"), (3840, 20_202_021, nil, "34970112332"),
            (10, 23_456_780, nil, "01127614316"), (2001, 23_456_789, nil, "16043714310"),
            (3840, 20_202_021, ManualCode.Product(vendor: 0xFFF1, product: 0x8001), "749701123365521327694"),
        ]
        for code in codes {
            let value = try ManualCode(
                discriminator: code.discriminator, passcode: SetupPasscode(code.passcode), product: code.product)
            #expect(value.text == code.text)
            #expect(value.shortDiscriminator == UInt8(code.discriminator >> 8))
            #expect(try ManualCode(code.text) == value)
        }
        #expect(try ManualCode("3497-011-2332") == ManualCode("3497 0112332"))
        let payload = try OnboardingTests.vectors[1].payload()
        #expect(payload.manualCode == "34970112332")
        #expect(payload.longManualCode == "749701123365521327694")
    }

    @Test("A custom flow needs vendor and product in the manual code")
    func customFlow() throws {
        for flow in [OnboardingPayload.CommissioningFlow.standard, .userIntent, .custom] {
            let payload = try OnboardingPayload(
                vendor: 0xFFF1, product: 0x8001, flow: flow, discovery: [.bluetooth, .onNetwork], discriminator: 0xABC,
                passcode: SetupPasscode(20_202_021))
            #expect(payload.manualCode.count == (flow == .standard ? 11 : 21))
            #expect(try OnboardingPayload(qrText: payload.qrText) == payload)
        }
    }

    @Test("Codes of random fields come back")
    func random() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<500 {
            guard let passcode = try? SetupPasscode(.random(in: 1...99_999_998, using: &random)) else { continue }
            let payload = try OnboardingPayload(
                vendor: VendorID(rawValue: .random(in: 0...0xFFFF, using: &random)),
                product: ProductID(rawValue: .random(in: 0...0xFFFF, using: &random)), flow: .userIntent,
                discovery: .init(rawValue: .random(in: 0...0xFF, using: &random)),
                discriminator: .random(in: 0...0xFFF, using: &random), passcode: passcode,
                additionalData: (0..<Int.random(in: 0...128, using: &random)).map { _ in
                    .random(in: 0...0xFF, using: &random)
                })
            #expect(try OnboardingPayload(qrText: payload.qrText) == payload)
            let code = try ManualCode(payload.longManualCode)
            #expect(code.passcode == passcode)
            #expect(code.shortDiscriminator == UInt8(payload.discriminator >> 8))
            #expect(code.product == ManualCode.Product(vendor: payload.vendor, product: payload.product))
        }
    }

    /// 5.1.7.1.
    @Test("Passcodes that are none")
    func passcodes() throws {
        let repeated = (0...9).map { UInt32($0) * 11_111_111 }
        for value in repeated + [12_345_678, 87_654_321, 100_000_000, .max] {
            #expect(throws: OnboardingError.passcode(value)) { try SetupPasscode(value) }
        }
        for value in [1, 99_999_998, 20_202_021, 11_111_112] as [UInt32] {
            #expect(try SetupPasscode(value).rawValue == value)
        }
    }

    @Test("Every wrong digit, and every exchange of neighbours, is found by the check digit")
    func checkDigit() throws {
        for text in ["34970112332", "749701123365521327694"] {
            let digits = text.compactMap(\.wholeNumberValue)
            for index in digits.indices {
                for digit in 0...9 where digit != digits[index] {
                    var wrong = digits
                    wrong[index] = digit
                    #expect(throws: OnboardingError.checkDigit) { try ManualCode(wrong.map(String.init).joined()) }
                }
                guard index > 0, digits[index] != digits[index - 1] else { continue }
                var exchanged = digits
                exchanged.swapAt(index, index - 1)
                #expect(throws: OnboardingError.checkDigit) { try ManualCode(exchanged.map(String.init).joined()) }
            }
        }
    }

    @Test("Manual codes that are none")
    func invalidManualCodes() {
        let cases: [(String, OnboardingError)] = [
            ("", .length(0)), ("3497011233", .length(10)), ("349701123320", .length(12)),
            ("7497011233655213276940", .length(22)), ("3497011233x", .character("x")),
            ("３4970112332", .character("３")),
        ]
        for (text, error) in cases { #expect(throws: error) { try ManualCode(text) } }
    }

    /// Valid check digits around invalid fields; the digit is found by trial.
    @Test("Fields of a manual code out of range")
    func manualCodeRanges() {
        let cases: [(String, OnboardingError)] = [
            ("8000010001", .version(1)), ("4000010001", .identifiers), ("00000100010000000000", .identifiers),
            ("0655360001", .range), ("0000018192", .range), ("0000000000", .passcode(0)),
            ("40000100016553600001", .range), ("40000100010000165536", .range),
        ]
        for (text, error) in cases {
            let errors = (0...9).compactMap { digit -> OnboardingError? in
                return thrown { () throws(OnboardingError) in _ = try ManualCode(text + "\(digit)") }
            }
            #expect(errors.count { $0 == .checkDigit } == 9, "\(text)")
            #expect(errors.contains(error), "\(text): \(errors)")
        }
    }

    @Test("QR texts that are none")
    func invalidQRTexts() {
        let cases: [(String, OnboardingError)] = [
            ("", .prefix), ("mt:-24J042C00KA0648G00", .prefix), ("MT:", .length(0)),
            ("MT:-24J042C00KA0648G0", .length(18)), ("MT:-24J042C00KA0648", .length(16)),
            ("MT:-24J042C00KA0648G0a", .character("a")), ("MT:.....42C00KA0648G00", .overflow),
            ("MT:-24J042C00KA0648..", .length(18)),
        ]
        for (text, error) in cases { #expect(throws: error) { try OnboardingPayload(qrText: text) } }
        let long = "MT:" + String(repeating: "0", count: 300)
        #expect(throws: OnboardingError.length(300)) { try OnboardingPayload(qrText: long) }
    }

    @Test("Fields of a QR text out of range")
    func qrFields() throws {
        // Version in bits 0 to 2, flow in 35 and 36, passcode in 57 to 83, padding in 84 to 87.
        let good = octets("88ffa7915040004751dd02")
        #expect(throws: OnboardingError.version(1)) { try payload(good, flipping: [0]) }
        #expect(throws: OnboardingError.flow) { try payload(good, flipping: [35]) }
        #expect(throws: OnboardingError.padding) { try payload(good, flipping: [87]) }
        let passcode = (57..<84).filter { good[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        #expect(throws: OnboardingError.passcode(0)) { try payload(good, flipping: passcode) }
        #expect(try payload(good, flipping: []).qrText == "MT:-MOA57ZU02IT2L2BJ00")
    }

    /// The payload of octets with some bits inverted, through its text by digits of this test.
    private func payload(_ octets: [UInt8], flipping bits: [Int]) throws -> OnboardingPayload {
        var octets = octets
        for bit in bits { octets[bit / 8] ^= 1 << UInt8(bit % 8) }
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-.")
        var text = "MT:"
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            var value = group.reversed().reduce(0) { $0 * 256 + Int($1) }
            for _ in 0..<[2, 4, 5][group.count - 1] {
                text.append(alphabet[value % 38])
                value /= 38
            }
        }
        return try OnboardingPayload(qrText: text)
    }

    @Test("Every error has a text of one line")
    func texts() {
        let errors: [OnboardingError] = [
            .prefix, .character("\n"), .length(1), .overflow, .version(1), .flow, .padding, .discriminator(4096),
            .passcode(0), .checkDigit, .range, .identifiers,
        ]
        for error in errors { #expect(error.description.count > 10 && !error.description.contains("\n")) }
        #expect(throws: OnboardingError.discriminator(4096)) {
            try OnboardingPayload(
                vendor: 1, product: 1, discovery: .bluetooth, discriminator: 4096, passcode: SetupPasscode(20_202_021))
        }
    }
}
