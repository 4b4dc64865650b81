// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Octets

extension MatterNotice {
    /// The notice of an executed command.
    ///
    /// - Parameter reason: the rule that the command broke; nil if its code is sufficient.
    static func command(
        _ path: CommandPath, _ accessor: Accessor, _ outcome: CommandOutcome, because reason: String? = nil
    ) -> MatterNotice {
        let text =
            switch outcome {
            case .later: "pending"
            case .unanswered: "no answer"
            case .status(let status): OutcomeText.status(status, of: path.cluster)
            case .response(_, let fields): OutcomeText.response(fields, of: path.cluster)
            }
        return .command(
            cluster: path.cluster, command: path.command, name: CommandName.text(path), fabric: accessor.fabric,
            outcome: reason.map { "\(text): \($0)" } ?? text)
    }
}

/// The outcomes of commands as texts, with the names of the specification.
private enum OutcomeText {
    static func status(_ status: StatusInformation, of cluster: ClusterID) -> String {
        if status == .success { return "ok" }
        let code = "status 0x\(Hexadecimal.text([status.status.rawValue]))"
        let text = status.status.name.map { "\(code) \($0)" } ?? code
        guard let clusterStatus = status.clusterStatus else { return text }
        let name = clusterStatuses[cluster]?[clusterStatus].map { " \($0)" } ?? ""
        return "\(text), cluster status \(clusterStatus)\(name)"
    }

    /// The status that begins most responses; other responses are "ok".
    static func response(_ fields: [UInt8], of cluster: ClusterID) -> String {
        let structure = try? TLVElement(fields).structure()
        guard let code = structure?[0].flatMap({ try? $0.unsigned(UInt8.self) }), code != 0 else { return "ok" }
        return codes[cluster]?[code].map { "code \(code) \($0)" } ?? "code \(code)"
    }

    /// Status codes of clusters.
    private static let clusterStatuses: [ClusterID: [UInt8: String]] = [
        .administratorCommissioning: [2: "Busy", 3: "PAKEParameterError", 4: "WindowNotOpen"]
    ]

    /// Codes in responses: CommissioningErrorEnum, NetworkCommissioningStatusEnum, NodeOperationalCertStatusEnum.
    private static let codes: [ClusterID: [UInt8: String]] = [
        .generalCommissioning: [
            1: "ValueOutsideRange", 2: "InvalidAuthentication", 3: "NoFailSafe", 4: "BusyWithOtherAdmin",
        ],
        .networkCommissioning: [
            1: "OutOfRange", 2: "BoundsExceeded", 3: "NetworkIDNotFound", 4: "DuplicateNetworkID",
            5: "NetworkNotFound", 6: "RegulatoryError", 7: "AuthFailure", 8: "UnsupportedSecurity",
            9: "OtherConnectionFailure", 10: "IPV6Failed", 11: "IPBindFailed", 12: "UnknownError",
        ],
        .operationalCredentials: [
            1: "InvalidPublicKey", 2: "InvalidNodeOpId", 3: "InvalidNOC", 4: "MissingCsr", 5: "TableFull",
            6: "InvalidAdminSubject", 9: "FabricConflict", 10: "LabelConflict", 11: "InvalidFabricIndex",
        ],
    ]
}
