// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

@testable import MatterTestSupport

/// A node with the clusters of the known answers and one of its own kind, 0xFFF1_FC00, with each kind of attribute,
/// command and event.
struct SmallNode: DataModel {
    static let special: ClusterID = 0xFFF1_FC00

    var endpoints: [EndpointDeclaration] = [SmallNode.root, SmallNode.lock]
    var accessEntries: [AccessControlEntry] = [
        AccessControlEntry(
            fabric: 1, privilege: .administer, authenticationMode: .case, subjects: [112_233], targets: nil)
    ]
    var versions: [ClusterID: UInt32] = [0x30: 0x8AFA_9085, 0x28: 0xA107_5F7E, 0x31: 0xFF4E_85BD]
    var values: [AttributePath: String] = SmallNode.initialValues
    var lockState = 1
    /// Every operation, in order.
    var log: [String] = []
    var tickets: [CommandTicket] = []

    func dataVersion(endpoint: EndpointNumber, cluster: ClusterID) -> UInt32 { versions[cluster] ?? 7 }

    func read(
        _ path: AttributePath, by accessor: Accessor, fabricFiltered: Bool, into writer: inout TLVWriter,
        as tag: TLVTag, at now: Instant
    ) throws(StatusInformation) {
        guard let value = value(of: path, filter: fabricFiltered ? accessor.fabric : nil) else {
            // Octets before the fault: the server takes them back.
            writer.unsigned(0xAA as UInt8, as: tag)
            throw StatusInformation(.unsupportedRead)
        }
        let octets = Notation.octets(value)
        guard let element = try? TLVElement(octets) else { throw StatusInformation(.failure) }
        writer.element(element, as: tag)
    }

    private func value(of path: AttributePath, filter: FabricIndex?) -> String? {
        if path == AttributePath(0, 0x1F, 0) {
            let entries = accessEntries.filter { filter == nil || $0.fabric == filter }
            return "[\(entries.map(\.notation).joined(separator: " "))]"
        }
        return path == AttributePath(1, 0x101, 0) ? "\(lockState)" : values[path]
    }

    mutating func write(
        _ path: AttributePath, _ operation: WriteOperation, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation) {
        let data: TLVElement
        switch operation {
        case .replace(let element): data = element
        case .append(let element): data = element
        }
        var writer = TLVWriter()
        writer.element(data, as: .anonymous)
        let text = Notation.text(writer.octets)
        log.append("\(operation.isAppend ? "append" : "replace") \(path.attribute.rawValue) \(text)")
        guard text != "99" else { throw StatusInformation(.constraintError) }
        versions[path.cluster, default: 7] += 1
        if path.cluster == 0x1F {
            if !operation.isAppend { accessEntries = [] }
        } else if operation.isAppend {
            values[path] = (values[path] ?? "[]").dropLast() + " \(text)]"
        } else {
            values[path] = text
        }
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVElement?, ticket: CommandTicket, by accessor: Accessor, at now: Instant
    ) -> CommandOutcome {
        log.append("invoke \(path.command.rawValue)\(accessor.isTimed ? " timed" : "")")
        switch (path.cluster, path.command) {
        case (0x101, 0), (0x101, 1):
            lockState = path.command == 0 ? 1 : 2
            return .status(.success)
        case (_, 1): return .response(9, fields: Notation.octets(#"{0=0 1=""}"#))
        case (_, 3):
            tickets.append(ticket)
            return .later(ticket)
        case (_, 5): return .response(9, fields: Notation.octets("{0=\(SmallNode.octets(1_300))}"))
        case (_, 6): return .status(.cluster(4))
        case (_, 7): return .response(9, fields: [0x15])
        default: return .status(.success)
        }
    }

    /// An octet string of `count` octets in notation.
    static func octets(_ count: Int) -> String { "h\"\(String(repeating: "5a", count: count))\"" }
}

extension SmallNode {
    private static let initialValues: [AttributePath: String] = [
        AttributePath(0, 0x30, 0): "0", AttributePath(0, 0x30, 1): "{0=10 1=900}", AttributePath(0, 0x30, 2): "2",
        AttributePath(0, 0x30, 3): "2", AttributePath(0, 0x30, 4): "true", AttributePath(0, 0x28, 2): "65521",
        AttributePath(0, 0x28, 4): "32768", AttributePath(0, 0x28, 5): #""""#, AttributePath(0, 0x33, 2): "77",
        AttributePath(1, special, 0): "10", AttributePath(1, special, 1): "11", AttributePath(1, special, 2): "12",
        AttributePath(1, special, 3): "13", AttributePath(1, special, 4): "[1 2 3]",
        AttributePath(1, special, 5): "15",
        // A list that needs three messages, one with an entry that fits none, and a value that fits none.
        AttributePath(1, special, 6): "[\([String](repeating: octets(500), count: 5).joined(separator: " "))]",
        AttributePath(1, special, 7): "[1 \(octets(1_200))]", AttributePath(1, special, 8): octets(1_190),
        AttributePath(1, special, 9): "[]",
    ]

    private static let root = EndpointDeclaration(
        0, deviceTypes: [DeviceTypeDeclaration(0x16, revision: 3)],
        clusters: [
            ClusterDeclaration(
                0x1F, revision: 1,
                attributes: [
                    AttributeDeclaration(
                        0, readPrivilege: .administer, writePrivilege: .administer, isFabricScoped: true, isList: true)
                ]),
            ClusterDeclaration(
                0x28, revision: 3,
                attributes: [
                    AttributeDeclaration(2, isFixed: true), AttributeDeclaration(4, isFixed: true),
                    AttributeDeclaration(5, writePrivilege: .manage),
                ],
                events: [EventDeclaration(0, priority: .critical)]),
            ClusterDeclaration(
                0x30, revision: 1, attributes: (0...4).map { AttributeDeclaration(AttributeID(rawValue: $0)) },
                commands: [
                    CommandDeclaration(0, privilege: .administer, response: 1),
                    CommandDeclaration(2, privilege: .administer, response: 3),
                ]),
            ClusterDeclaration(0x31, revision: 2, features: 1, attributes: []),
            ClusterDeclaration(0x33, revision: 2, isDiagnostics: true, attributes: [AttributeDeclaration(2)]),
        ])

    private static let lock = EndpointDeclaration(
        1, deviceTypes: [DeviceTypeDeclaration(0x0A, revision: 3)],
        clusters: [
            ClusterDeclaration(
                0x101, revision: 7, attributes: [AttributeDeclaration(0)],
                commands: [CommandDeclaration(0, isTimed: true), CommandDeclaration(1, isTimed: true)],
                events: [EventDeclaration(2, priority: .critical)]),
            ClusterDeclaration(
                special, revision: 1,
                attributes: [
                    AttributeDeclaration(0, writePrivilege: .operate),
                    AttributeDeclaration(1, writePrivilege: .operate, isTimed: true),
                    AttributeDeclaration(2, isFixed: true), AttributeDeclaration(3, changesOmitted: true),
                    AttributeDeclaration(4, writePrivilege: .operate, isList: true),
                    AttributeDeclaration(5, readPrivilege: .manage, writePrivilege: .manage),
                    AttributeDeclaration(6, isList: true), AttributeDeclaration(7, isList: true),
                    AttributeDeclaration(8), AttributeDeclaration(9, writePrivilege: .operate, isList: true),
                    AttributeDeclaration(10, writePrivilege: .operate),
                ],
                commands: [
                    CommandDeclaration(0), CommandDeclaration(1, response: 9), CommandDeclaration(3),
                    CommandDeclaration(4, isFabricScoped: true), CommandDeclaration(5, response: 9),
                    CommandDeclaration(6), CommandDeclaration(7, response: 9),
                ],
                events: [
                    EventDeclaration(0, priority: .info), EventDeclaration(1, priority: .info, isFabricSensitive: true),
                    EventDeclaration(2, privilege: .manage, priority: .debug),
                ]),
        ])
}

extension WriteOperation {
    fileprivate var isAppend: Bool {
        if case .append = self { true } else { false }
    }
}

extension AccessControlEntry {
    fileprivate var notation: String {
        let subjects = (subjects ?? []).map { "\($0.rawValue)" }.joined(separator: " ")
        return
            "{1=\(privilege.rawValue) 2=\(authenticationMode.rawValue) 3=[\(subjects)] 4=null 254=\(fabric.rawValue)}"
    }
}
