// SPDX-License-Identifier: Apache-2.0

import Crypto
import JSON
import System
import MatterCredentials
import MatterNode
import MatterTLV
import Octets

/// The label of a lock without its passcode: identifiers, discriminator, and the verifier of the passcode.
struct LockLabel: Equatable {
    var vendor: UInt16
    var product: UInt16
    var discriminator: UInt16
    var salt: [UInt8]
    var iterations: Int
    var verifier: [UInt8]
    /// The unique identity of the device, 16 octets.
    var identity: [UInt8]

    /// The iterations of PBKDF2. With a stolen board, each guess of the 27-bit passcode costs this number of hashes
    /// (Matter Core 3.9 permits 1,000 to 100,000).
    private static let usualIterations = 100_000

    /// The codes that a label shows.
    struct Codes: Equatable {
        var qr: String
        var manual: String
    }

    /// Creates and stores a label with a new passcode, and returns its codes.
    static func make(_ options: LockOptions.Initialise, _ files: LockFiles) throws(LockProgram.Failure) -> Codes {
        var random = SystemRandomSource()
        let passcode = passcode(&random)
        let label: LockLabel
        let payload: OnboardingPayload
        do {
            label = try LockLabel(options, passcode: passcode.rawValue, &random)
            payload = try OnboardingPayload(
                vendor: VendorID(rawValue: label.vendor), product: ProductID(rawValue: label.product),
                flow: .userIntent, discovery: [.onNetwork, .bluetooth], discriminator: label.discriminator,
                passcode: passcode)
        } catch {
            throw .failed("cannot make a code: \(error)")
        }
        try files.keep(label, attestation: options.attestation)
        return Codes(qr: payload.qrText, manual: payload.longManualCode)
    }

    /// A random passcode that is not forbidden (Matter Core 5.1.7.1).
    private static func passcode(_ random: inout some RandomSource) -> SetupPasscode {
        while true {
            let number = random.octets(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FF_FFFF
            if let passcode = try? SetupPasscode(number) { return passcode }
        }
    }

    private init(
        _ options: LockOptions.Initialise, passcode: UInt32, _ random: inout some RandomSource
    ) throws(CryptoError) {
        vendor = options.vendor
        product = options.product
        let octets = random.octets(2)
        discriminator = (UInt16(octets[0]) << 8 | UInt16(octets[1])) & OnboardingPayload.greatestDiscriminator
        salt = random.octets(32)
        iterations = LockLabel.usualIterations
        let verifier = try LockLabel.verifier(passcode, salt, iterations)
        self.verifier = verifier
        identity = random.octets(16)
    }

    /// The identity as text, at most 32 octets.
    var identityText: String { Hexadecimal.text(identity) }

    private static func verifier(_ passcode: UInt32, _ salt: [UInt8], _ iterations: Int) throws(CryptoError) -> [UInt8]
    {
        try SPAKE2PlusVerifier(passcode: passcode, salt: salt.span, iterations: iterations).octets
    }

    // MARK: - File

    /// The file's content.
    var json: String {
        let object: JSONObject = [
            "vendor": vendor, "product": product, "discriminator": discriminator, "salt": Hexadecimal.text(salt),
            "iterations": iterations, "verifier": Hexadecimal.text(verifier), "identity": Hexadecimal.text(identity),
        ]
        return object.text + "\n"
    }

    /// Parses a file; `path` is for errors.
    init(_ octets: [UInt8], _ path: String) throws(LockProgram.Failure) {
        do throws(JSONPlaceFault) {
            let members = try JSONPlace(file: octets).members([
                "vendor", "product", "discriminator", "salt", "iterations", "verifier", "identity",
            ])
            vendor = UInt16(try members.required("vendor").number(0...0xFFFF))
            product = UInt16(try members.required("product").number(0...0xFFFF))
            discriminator = UInt16(try members.required("discriminator").number(0...0xFFF))
            salt = try members.required("salt").octets(exactly: 32)
            iterations = try members.required("iterations").number(1000...100_000)
            verifier = try members.required("verifier").octets(exactly: SPAKE2PlusVerifier.count)
            identity = try members.required("identity").octets(exactly: 16)
        } catch {
            throw .failed("\(path):\(error); restore the file")
        }
        guard (try? SPAKE2PlusVerifier(octets: verifier.span)) != nil else {
            throw .failed("\(path): verifier: is none; restore the file")
        }
    }
}
