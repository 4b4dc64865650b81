// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// The composition of release 1.4: the root node, and the device on endpoint 1.
extension NodeModel {
    static func endpoints(of configuration: MatterConfiguration) -> [EndpointDeclaration] {
        let (type, revision) = configuration.device.type
        let powerSource = configuration.hasBattery
        return [
            EndpointDeclaration(
                .root,
                deviceTypes: [DeviceTypeDeclaration(0x0016, revision: 3)]
                    + (powerSource ? [DeviceTypeDeclaration(0x0011, revision: 1)] : []),
                clusters: [
                    descriptorDeclaration, accessControlDeclaration, basicInformationDeclaration,
                    generalCommissioningDeclaration, networkCommissioningDeclaration(configuration.network),
                    generalDiagnosticsDeclaration,
                    administratorCommissioningDeclaration(hasBasicWindow: configuration.offersBasicWindow),
                    operationalCredentialsDeclaration, groupKeyManagementDeclaration,
                ] + (powerSource ? [powerSourceDeclaration] : [])),
            EndpointDeclaration(
                .device, deviceTypes: [DeviceTypeDeclaration(type, revision: revision)],
                clusters: deviceClusters(of: configuration.device)),
        ]
    }

    private static func deviceClusters(of device: MatterDevice) -> [ClusterDeclaration] {
        switch device {
        case .lock(let traits):
            [identifyDeclaration(hasEffects: false), descriptorDeclaration, doorLockDeclaration(traits)]
        case .light, .plug:
            [identifyDeclaration(hasEffects: true), groupsDeclaration, onOffDeclaration, descriptorDeclaration]
        case .contact:
            [identifyDeclaration(hasEffects: false), descriptorDeclaration, booleanStateDeclaration]
        }
    }
}
