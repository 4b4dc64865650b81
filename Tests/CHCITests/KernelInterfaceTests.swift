// SPDX-License-Identifier: Apache-2.0

import BluetoothHeaders
import CHCI
import Testing

/// CHCI's own declarations of the kernel's Bluetooth interface against libbluetooth's headers.
@Suite struct KernelInterfaceTests {
    struct Number: CustomTestStringConvertible {
        let testDescription: String
        let ours, theirs: UInt64
    }

    struct Field: CustomTestStringConvertible {
        let structure, testDescription: String
        let ours, theirs: Range<Int>
    }

    static let numbers: [Number] = named { index in
        let number = readerd_abi_number_at(index)
        return number.name.map {
            Number(testDescription: String(cString: $0), ours: number.ours, theirs: number.theirs)
        }
    }

    static let fields: [Field] = named { index in
        let field = readerd_abi_field_at(index)
        guard let structure = field.structure, let name = field.name else { return nil }
        return Field(
            structure: String(cString: structure), testDescription: String(cString: name),
            ours: field.offset..<field.offset + field.size,
            theirs: field.their_offset..<field.their_offset + field.their_size)
    }

    /// The entries of a table until the first without a name.
    private static func named<Entry>(_ entry: (Int) -> Entry?) -> [Entry] {
        var entries: [Entry] = []
        while let next = entry(entries.count) { entries.append(next) }
        return entries
    }

    @Test(arguments: numbers) func numbersAgree(number: Number) {
        #expect(number.ours == number.theirs)
    }

    @Test(arguments: fields) func fieldsAgree(field: Field) {
        #expect(field.ours == field.theirs)
    }

    /// A field that is missing in the table, on either side, leaves a gap wider than the alignment of its successor.
    @Test(arguments: [
        ("struct sockaddr_hci", MemoryLayout<readerd_hci_address>.size, 0),
        // Three octets behind `features`, before the 32 bits of `pkt_type`.
        ("struct hci_dev_info", MemoryLayout<readerd_hci_device>.size, 3),
    ]) func fieldsAreComplete(structure: String, size: Int, padding: Int) {
        let fields = Self.fields.filter { $0.structure == structure }.map(\.ours)
        #expect(fields.first?.lowerBound == 0)
        #expect(fields.last?.upperBound == size)
        let gaps = zip(fields, fields.dropFirst()).map { $1.lowerBound - $0.upperBound }
        #expect(gaps.allSatisfy { 0...3 ~= $0 })
        #expect(gaps.reduce(0, +) == padding)
    }

    /// Imported by Swift with the values that the calls use, and the tables are not empty.
    @Test func literals() {
        #expect(readerd_hci_family == 31)
        #expect(readerd_hci_protocol == 1)
        #expect(readerd_hci_channel_user == 1)
        #expect(MemoryLayout<readerd_hci_address>.size == 6)
        #expect(MemoryLayout<readerd_hci_device>.size == 92)
        #expect(Self.numbers.count == 13)
        #expect(Self.fields.count == 20)
    }
}
