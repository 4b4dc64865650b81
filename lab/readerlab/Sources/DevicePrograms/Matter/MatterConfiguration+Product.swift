// SPDX-License-Identifier: Apache-2.0

import Commands
import Crypto
import Devices
import MatterCredentials
import MatterHost
import MatterNode
import MatterTLV
import Octets

extension MatterConfiguration {
    /// The configuration from the options.
    ///
    /// - Parameter identity: 16 octets that distinguish this node from others.
    init(
        _ options: MatterProgram.Options, _ identity: [UInt8], _ files: MatterStateFiles?, _ discovery: MatterDiscovery
    ) throws(CommandError) {
        let emulated = options.product
        let material: AttestationMaterial
        let label: Label
        do throws(CryptoError) {
            material = try MatterConfiguration.attestation(emulated, files)
            label = try MatterConfiguration.label(emulated)
        } catch {
            throw .failed("cannot make keys: \(error)")
        }
        let product = Product(
            vendor: emulated.vendor, vendorName: "readerlab",
            product: material.basicInformationProduct, productName: emulated.name,
            serialNumber: Hexadecimal.text(identity.prefix(4), uppercase: true), uniqueID: Hexadecimal.text(identity))
        self.init(
            product: product, device: emulated.device.device(emulated.traits),
            network: MatterConfiguration.network(options.network, identity, discovery), label: label,
            attestation: material.attestation)
        hasBattery = emulated.hasBattery
        offersBluetooth = options.hci != nil
        failSafeSeconds = emulated.failSafeSeconds
    }

    private static func network(
        _ kind: MatterNetworkKind, _ identity: [UInt8], _ discovery: MatterDiscovery
    ) -> Network {
        switch kind {
        // Locally administered addresses.
        case .wifi: .wifi(address: [0x02] + identity.prefix(5))
        case .thread: .thread(address: [0x02] + identity.prefix(7))
        case .ethernet:
            .ethernet(
                name: discovery.first?.name ?? "none", address: discovery.first?.hardwareAddress ?? [0, 0, 0, 0, 0, 0])
        }
    }

    private static func attestation(
        _ product: MatterProduct, _ files: MatterStateFiles?
    ) throws(CryptoError) -> AttestationMaterial {
        var random = SystemRandomSource()
        let authority: AttestationAuthority
        if let files { authority = files.authority } else { authority = try AttestationAuthority(key: .generate()) }
        return try authority.issue(
            product.attestation, vendor: product.vendor, product: product.product,
            deviceType: product.device.device(LockTraits()).type.id, random: &random)
    }

    private static func label(_ product: MatterProduct) throws(CryptoError) -> Label {
        var random = SystemRandomSource()
        let salt = random.octets(32)
        let iterations = 1000
        let verifier = try SPAKE2PlusVerifier(passcode: product.passcode, salt: salt.span, iterations: iterations)
        return Label(
            verifier: verifier.octets, salt: salt, iterations: UInt32(iterations), discriminator: product.discriminator)
    }
}
