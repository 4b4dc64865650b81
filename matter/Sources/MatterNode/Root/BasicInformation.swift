// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// Basic Information (Matter Core 11.1).
extension NodeModel {
    static let basicInformationDeclaration = ClusterDeclaration(
        .basicInformation, revision: 3,
        attributes: [
            AttributeDeclaration(0x00, isFixed: true), AttributeDeclaration(0x01, isFixed: true),
            AttributeDeclaration(0x02, isFixed: true), AttributeDeclaration(0x03, isFixed: true),
            AttributeDeclaration(0x04, isFixed: true), AttributeDeclaration(0x05, writePrivilege: .manage),
            AttributeDeclaration(0x06, writePrivilege: .administer), AttributeDeclaration(0x07, isFixed: true),
            AttributeDeclaration(0x08, isFixed: true), AttributeDeclaration(0x09, isFixed: true),
            AttributeDeclaration(0x0A, isFixed: true), AttributeDeclaration(0x0F, isFixed: true),
            AttributeDeclaration(0x12, isFixed: true), AttributeDeclaration(0x13, isFixed: true),
            AttributeDeclaration(0x15, isFixed: true), AttributeDeclaration(0x16, isFixed: true),
        ],
        events: [
            EventDeclaration(0, priority: .critical), EventDeclaration(2, priority: .info),
        ])

    func readBasicInformation(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        let product = configuration.product
        switch attribute {
        case 0x00: writer.unsigned(UInt16(18), as: tag)
        case 0x01: writer.text(product.vendorName, as: tag)
        case 0x02: writer.unsigned(product.vendor.rawValue, as: tag)
        case 0x03: writer.text(product.productName, as: tag)
        case 0x04: writer.unsigned(product.product.rawValue, as: tag)
        case 0x05: writer.text(state.nodeLabel, as: tag)
        case 0x06: writer.text(state.location, as: tag)
        case 0x07: writer.unsigned(product.hardwareVersion, as: tag)
        case 0x08: writer.text(product.hardwareVersionText, as: tag)
        case 0x09: writer.unsigned(product.softwareVersion, as: tag)
        case 0x0A: writer.text(product.softwareVersionText, as: tag)
        case 0x0F: writer.text(product.serialNumber, as: tag)
        case 0x12: writer.text(product.uniqueID, as: tag)
        case 0x13:
            writer.structure(as: tag) { minima in
                minima.unsigned(UInt16(3), as: 0)
                minima.unsigned(UInt16(3), as: 1)
            }
        case 0x15: writer.unsigned(UInt32(0x0104_0000), as: tag)
        case 0x16: writer.unsigned(UInt16(1), as: tag)
        default: return false
        }
        return true
    }

    mutating func writeBasicInformation(
        _ attribute: AttributeID, _ operation: WriteOperation
    ) throws(StatusInformation) {
        switch attribute {
        case 0x05:
            state.nodeLabel = try operation.value { element throws(TLVError) in try element.text(upTo: 32) }
        case 0x06:
            let location = try operation.value { element throws(TLVError) in try element.text(upTo: 2) }
            guard location.utf8.count == 2 else { throw StatusInformation(.constraintError) }
            state.location = location
        default: throw StatusInformation(.unsupportedWrite)
        }
        changed(.root, .basicInformation, attribute)
    }
}
