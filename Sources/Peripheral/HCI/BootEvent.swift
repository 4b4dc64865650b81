// SPDX-License-Identifier: Apache-2.0

/// Events by which controllers report that they have started.
///
/// Any controller may send Command Complete or Command Status without an opcode (Core 5.4, Vol 4, Part E, 4.4); that is
/// also how it changes the number of commands that it accepts. The others are events of vendors.
enum BootEvent {
    /// The parameters of a vendor's event, and their number.
    private struct Form {
        var count: Int
        var beginning: [UInt8]
    }

    private static let forms = [
        // STMicroelectronics BlueNRG: event 0x0001, HAL initialized, with its reason.
        Form(count: 3, beginning: [0x01, 0x00]),
        // Intel: event 0x02, bootup.
        Form(count: 7, beginning: [0x02]),
        // EM Microelectronic EM930x: event 0x01, active state entered.
        Form(count: 1, beginning: [0x01]),
    ]

    /// True if the parameters of a vendor's event, the octets in `range`, match a known boot event.
    static func isBoot(_ packet: Span<UInt8>, in range: Range<Int>) -> Bool {
        forms.contains { form in
            range.count == form.count
                && form.beginning.indices.allSatisfy { packet[range.lowerBound + $0] == form.beginning[$0] }
        }
    }
}
