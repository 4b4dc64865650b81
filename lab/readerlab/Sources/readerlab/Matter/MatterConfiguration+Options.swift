// SPDX-License-Identifier: Apache-2.0

import Console
import Crypto
import DevicePrograms
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
        _ command: EmulateMatterCommand, _ identity: [UInt8], _ files: MatterStateFiles?, _ discovery: MatterDiscovery
    ) throws(CommandError) {
        let options = command.product
        let material: AttestationMaterial
        let label: Label
        do throws(CryptoError) {
            material = try MatterConfiguration.attestation(options, files)
            label = try MatterConfiguration.label(options)
        } catch {
            throw .failed("cannot make keys: \(error)")
        }
        let product = Product(
            vendor: VendorID(rawValue: options.vendorNumber), vendorName: "readerlab",
            product: material.basicInformationProduct, productName: options.productName,
            serialNumber: Hexadecimal.text(identity.prefix(4), uppercase: true), uniqueID: Hexadecimal.text(identity))
        self.init(
            product: product, device: options.device.device(options.traits),
            network: MatterConfiguration.network(command, identity, discovery), label: label,
            attestation: material.attestation)
        hasBattery = options.battery
        offersBluetooth = command.hci != nil
        failSafeSeconds = options.failSafe
    }

    private static func network(
        _ command: EmulateMatterCommand, _ identity: [UInt8], _ discovery: MatterDiscovery
    ) -> Network {
        switch command.networkKind {
        // Locally administered addresses.
        case .wifi: .wifi(address: [0x02] + identity.prefix(5))
        case .thread: .thread(address: [0x02] + identity.prefix(7))
        case .ethernet:
            .ethernet(
                name: discovery.first?.name ?? "none", address: discovery.first?.hardwareAddress ?? [0, 0, 0, 0, 0, 0])
        }
    }

    private static func attestation(
        _ options: MatterProductOptions, _ files: MatterStateFiles?
    ) throws(CryptoError) -> AttestationMaterial {
        var random = SystemRandomSource()
        let authority: AttestationAuthority
        if let files { authority = files.authority } else { authority = try AttestationAuthority(key: .generate()) }
        return try authority.issue(
            options.attestationSet, vendor: VendorID(rawValue: options.vendorNumber),
            product: ProductID(rawValue: options.productNumber),
            deviceType: options.device.device(LockTraits()).type.id, random: &random)
    }

    private static func label(_ options: MatterProductOptions) throws(CryptoError) -> Label {
        var random = SystemRandomSource()
        let salt = random.octets(32)
        let iterations = 1000
        let verifier = try SPAKE2PlusVerifier(passcode: options.passcode, salt: salt.span, iterations: iterations)
        return Label(
            verifier: verifier.octets, salt: salt, iterations: UInt32(iterations), discriminator: options.discriminator)
    }
}
