// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// The clusters of the node, by the names of the specification.
extension ClusterID {
    static let identify: ClusterID = 0x0003
    static let groups: ClusterID = 0x0004
    static let onOff: ClusterID = 0x0006
    static let descriptor: ClusterID = 0x001D
    static let accessControl: ClusterID = 0x001F
    static let basicInformation: ClusterID = 0x0028
    static let powerSource: ClusterID = 0x002F
    static let generalCommissioning: ClusterID = 0x0030
    static let networkCommissioning: ClusterID = 0x0031
    static let generalDiagnostics: ClusterID = 0x0033
    static let administratorCommissioning: ClusterID = 0x003C
    static let operationalCredentials: ClusterID = 0x003E
    static let groupKeyManagement: ClusterID = 0x003F
    static let booleanState: ClusterID = 0x0045
    static let doorLock: ClusterID = 0x0101
}

extension EndpointNumber {
    /// The root.
    static let root: EndpointNumber = 0
    /// The device.
    static let device: EndpointNumber = 1
}
