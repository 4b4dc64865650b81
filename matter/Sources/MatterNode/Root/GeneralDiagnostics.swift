// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// General Diagnostics (Matter Core 11.12).
extension NodeModel {
    static let generalDiagnosticsDeclaration = ClusterDeclaration(
        .generalDiagnostics, revision: 2, isDiagnostics: true,
        attributes: [
            AttributeDeclaration(0, isList: true), AttributeDeclaration(1),
            AttributeDeclaration(2, changesOmitted: true), AttributeDeclaration(8),
        ],
        commands: [CommandDeclaration(0, privilege: .manage), CommandDeclaration(1, response: 2)],
        events: [EventDeclaration(3, priority: .critical)])

    func readGeneralDiagnostics(
        _ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag, at now: Instant
    ) -> Bool {
        switch attribute {
        case 0:
            writer.array(as: tag) { list in
                list.structure(as: .anonymous) { writeInterface(&$0) }
            }
        case 1: writer.unsigned(state.rebootCount, as: tag)
        case 2: writer.unsigned(UInt64(clamping: (now - start).wholeMilliseconds / 1000), as: tag)
        case 8: writer.bool(false, as: tag)
        default: return false
        }
        return true
    }

    private func writeInterface(_ entry: inout TLVWriter) {
        let name: String
        let address: [UInt8]
        let type: UInt8
        switch configuration.network {
        case .wifi(let hardware): (name, address, type) = ("wlan0", hardware, 1)
        case .ethernet(let interface, let hardware): (name, address, type) = (interface, hardware, 2)
        case .thread(let hardware): (name, address, type) = ("thread", hardware, 4)
        }
        entry.text(name, as: 0)
        entry.bool(!(addresses.ipv4.isEmpty && addresses.ipv6.isEmpty), as: 1)
        entry.null(as: 2)
        entry.null(as: 3)
        entry.octets(address, as: 4)
        entry.array(as: 5) { list in
            for address in addresses.ipv4.prefix(4) { list.octets(address, as: .anonymous) }
        }
        entry.array(as: 6) { list in
            for address in addresses.ipv6.prefix(8) { list.octets(address, as: .anonymous) }
        }
        entry.unsigned(type, as: 7)
    }

    mutating func invokeGeneralDiagnostics(
        _ command: CommandID, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0:
            // No trigger is enabled, so no key is valid.
            guard try call.fields.octets(0).count == 16 else { throw StatusInformation(.invalidCommand) }
            _ = try call.fields.unsigned(1, UInt64.self)
            throw StatusInformation(.constraintError)
        case 1:
            return .response(2) { response in
                response.unsigned(UInt64(clamping: (call.now - start).wholeMilliseconds), as: 0)
                if let epochSeconds {
                    response.unsigned(UInt64(clamping: epochSeconds) * 1000, as: 1)
                } else {
                    response.null(as: 1)
                }
            }
        default: throw StatusInformation(.unsupportedCommand)
        }
    }
}
