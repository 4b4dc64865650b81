// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Crypto
import Devices
import Glibc
import MatterCredentials
import MatterTLV
import System

/// `readerlab credentials attestation`.
struct AttestationCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation", abstract: "Make the attestation of a Matter lock, for a bench.",
        discussion: """
            The certificates and the key that a manufacturer gives a device: dac.der, pai.der, cd.der and dac-key.pem \
            for readerd-matter init, and the authority's certificate, paa/paa.der, for the trust stores of apps. An \
            app of a shop does not trust it, and says so.

              readerlab credentials attestation ./attestation
              readerd-matter init --attestation ./attestation
            """)

    @Argument(help: ArgumentHelp("The directory, which is made.", valueName: "DIR"))
    var directory: String

    @Option(help: ArgumentHelp("The vendor, decimal or with 0x.", valueName: "N"))
    var vendor = "0xFFF1"

    @Option(help: ArgumentHelp("The product, decimal or with 0x.", valueName: "N"))
    var product = "0x8001"

    /// The device type of a door lock.
    private static let doorLock: DeviceTypeID = 0x000A

    func validate() throws {
        for (name, text) in [("vendor", vendor), ("product", product)] where AttestationCommand.number(text) == nil {
            throw ValidationError("--\(name) takes 0 to 65535 or 0x0 to 0xFFFF, not \(text)")
        }
    }

    private static func number(_ text: String) -> UInt16? {
        text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
    }

    func perform() throws(CredentialError) -> [String] {
        let authority: AttestationAuthority
        let material: AttestationMaterial
        var pem: [UInt8]
        do throws(CryptoError) {
            var random = SystemRandomSource()
            authority = try AttestationAuthority(key: .generate())
            material = try authority.issue(
                .good, vendor: VendorID(rawValue: AttestationCommand.number(vendor) ?? 0),
                product: ProductID(rawValue: AttestationCommand.number(product) ?? 0),
                deviceType: AttestationCommand.doorLock, random: &random)
            pem = try (material.attestation.key as? P256PrivateKey)?.pem() ?? []
        } catch {
            throw CredentialError("cannot make certificates: \(error)")
        }
        defer { wipeSecret(&pem) }
        for path in [directory, "\(directory)/paa"] where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .file(path, "make it", errno)
        }
        let attestation = material.attestation
        let files = [
            ("dac.der", attestation.dac), ("pai.der", attestation.pai), ("cd.der", attestation.declaration),
            ("dac-key.pem", pem), ("paa/paa.der", authority.certificate),
        ].map { ("\(directory)/\($0)", $1) }
        for (path, _) in files { try CredentialStore.checkNew(path) }
        for (path, octets) in files { try CredentialStore.create(octets: octets, at: path) }
        return ["\(directory): dac.der, pai.der, cd.der, dac-key.pem; for trust stores paa/paa.der"]
    }
}
