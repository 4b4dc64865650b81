// SPDX-License-Identifier: Apache-2.0

/// The response to SELECT.
struct AliroSelection {
    /// The application of the fast and standard phases.
    static let expedited: [UInt8] = [0xA0, 0x00, 0x00, 0x09, 0x09, 0xAC, 0xCE, 0x55, 0x01]
    /// The application of the step-up phase.
    static let stepUp: [UInt8] = [0xA0, 0x00, 0x00, 0x09, 0x09, 0xAC, 0xCE, 0x55, 0x02]

    /// The whole element A5, which is part of the salts.
    let application: [UInt8]
    /// Versions, highest first; nil without a list, as in the step-up phase.
    let versions: [[UInt8]]?

    init(_ response: [UInt8], selecting identifier: [UInt8]) throws(CardRefusal) {
        let span = response.span
        let template = try AliroTLV.fields(
            [.init(0x84, 5...16), .init(0xA5, 4...Self.maximumApplication)], of: span,
            in: AliroTLV.content(of: 0x6F, in: span, 0..<response.count))
        guard let name = template[0x84], response[name.value] == identifier[...], let element = template[0xA5] else {
            throw .malformed
        }
        try self.init(response, element)
    }

    /// Element A5 alone, as phones send it over Bluetooth LE.
    init(application element: [UInt8]) throws(CardRefusal) {
        let span = element.span
        let elements = try AliroTLV.elements(of: span, in: 0..<element.count)
        guard elements.count == 1, elements[0].tag == 0xA5, 4...Self.maximumApplication ~= elements[0].value.count
        else {
            throw .malformed
        }
        try self.init(element, elements[0])
    }

    private init(_ response: [UInt8], _ element: AliroTLV) throws(CardRefusal) {
        let span = response.span
        let fields = try AliroTLV.fields(
            [
                .init(0x80, 2...2), .init(0x5C, 2...16, optional: true), .init(0x7F66, 8...8, optional: true),
                .init(0xB3, 0...127, optional: true),
            ], of: span, in: element.value)
        guard let type = fields[0x80], response[type.value] == [0x00, 0x00] else { throw .malformed }
        versions = try fields[0x5C].map { (list) throws(CardRefusal) in
            guard list.value.count.isMultiple(of: 2) else { throw .malformed }
            return stride(from: list.value.lowerBound, to: list.value.upperBound, by: 2).map {
                Array(response[$0..<$0 + 2])
            }
        }
        application = Array(response[element.extent])
    }

    /// Type, versions, sizes and 127 octets of a vendor, with their heads.
    private static let maximumApplication = 200
}
