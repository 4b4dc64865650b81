// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Octets

/// The names of commands in notices.
enum CommandName {
    /// The name in the specification, or the numbers.
    static func text(_ path: CommandPath) -> String {
        names[path.cluster]?[path.command]
            ?? "command \(path.command.rawValue) of cluster \(path.cluster.rawValue)"
    }

    private static let names: [ClusterID: [CommandID: String]] = [
        .generalCommissioning: [0: "ArmFailSafe", 2: "SetRegulatoryConfig", 4: "CommissioningComplete"],
        .networkCommissioning: [
            0: "ScanNetworks", 2: "AddOrUpdateWiFiNetwork", 3: "AddOrUpdateThreadNetwork", 4: "RemoveNetwork",
            6: "ConnectNetwork", 8: "ReorderNetwork",
        ],
        .generalDiagnostics: [0: "TestEventTrigger", 1: "TimeSnapshot"],
        .administratorCommissioning: [
            0: "OpenCommissioningWindow", 1: "OpenBasicCommissioningWindow", 2: "RevokeCommissioning",
        ],
        .operationalCredentials: [
            0: "AttestationRequest", 2: "CertificateChainRequest", 4: "CSRRequest", 6: "AddNOC", 7: "UpdateNOC",
            9: "UpdateFabricLabel", 0x0A: "RemoveFabric", 0x0B: "AddTrustedRootCertificate",
        ],
        .groupKeyManagement: [0: "KeySetWrite", 1: "KeySetRead", 3: "KeySetRemove", 4: "KeySetReadAllIndices"],
        .identify: [0: "Identify", 0x40: "TriggerEffect"],
        .groups: [
            0: "AddGroup", 1: "ViewGroup", 2: "GetGroupMembership", 3: "RemoveGroup", 4: "RemoveAllGroups",
            5: "AddGroupIfIdentifying",
        ],
        .onOff: [
            0: "Off", 1: "On", 2: "Toggle", 0x40: "OffWithEffect", 0x41: "OnWithRecallGlobalScene",
            0x42: "OnWithTimedOff",
        ],
        .doorLock: [
            0: "LockDoor", 1: "UnlockDoor", 3: "UnlockWithTimeout", 0x1A: "SetUser", 0x1B: "GetUser",
            0x1D: "ClearUser", 0x22: "SetCredential", 0x24: "GetCredentialStatus", 0x26: "ClearCredential",
            0x27: "UnboltDoor", 0x28: "SetAliroReaderConfig", 0x29: "ClearAliroReaderConfig",
        ],
    ]
}
