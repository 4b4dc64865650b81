// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import Octets
import Peripheral
import Reader

/// The random static addresses of the advertising modes and of provisioning. They are kept for the reader's lifetime,
/// so that phones and sniffers recognise the device after a restart.
struct AddressBook: Equatable {
    /// The file in the state directory: a line per mode, `on-touch C0:11:22:33:44:55`.
    static let fileName = "addresses"
    /// Limit of the file's size, with room for modes of later versions.
    private static let maximumCount = 4096

    private var addresses: [ReaderSettings.Mode: BluetoothAddress] = [:]
    /// The address of the provisioning service.
    private(set) var provisioning: BluetoothAddress?
    /// Its key in the file.
    private static let provisioningName = "provisioning"
    /// Lines of modes unknown to this version, kept for a later version.
    private var foreignLines: [String] = []

    /// Returns the address of a mode.
    subscript(mode: ReaderSettings.Mode) -> BluetoothAddress? { addresses[mode] }

    /// Loads the addresses from `state`. Missing or invalid ones are generated and stored, so that a damaged file does
    /// not prevent the start.
    ///
    /// - Returns: The addresses, and a description of a file that was put aside and of each invalid line.
    static func load(
        from state: StateDirectory, random: inout some RandomSource
    ) throws(ReaderdError) -> (book: AddressBook, repairs: [String]) {
        let path = state.file(fileName)
        var contents: FileContents?
        var damage: [String] = []
        do throws(ReaderdError) { contents = try state.contents(of: fileName, maximumCount: maximumCount) } catch {
            guard error.damaged != nil else { throw error }
            damage = ["\(error); kept as \(try state.putAside(fileName)), new addresses are used"]
        }
        var (book, repairs) = AddressBook.parse(String(decoding: contents?.octets ?? [], as: UTF8.self))
        let missing = ReaderSettings.Mode.allCases.filter { book.addresses[$0] == nil }
        if !missing.isEmpty || book.provisioning == nil {
            for mode in missing { book.addresses[mode] = book.freshAddress(&random) }
            if book.provisioning == nil { book.provisioning = book.freshAddress(&random) }
            try state.replace(fileName, with: Array(book.text.utf8))
        }
        repairs = damage + repairs.map { "\(path): \($0)" }
        return (book, repairs)
    }

    /// Loads the addresses, with the kernel's random source.
    static func load(from state: StateDirectory) throws(ReaderdError) -> (book: AddressBook, repairs: [String]) {
        var random = SystemRandomSource()
        return try load(from: state, random: &random)
    }

    /// The file's contents.
    var text: String {
        let known = ReaderSettings.Mode.allCases.compactMap { mode in addresses[mode].map { "\(mode.rawValue) \($0)" } }
        let own = provisioning.map { ["\(AddressBook.provisioningName) \($0)"] } ?? []
        return (known + own + foreignLines).map { $0 + "\n" }.joined()
    }

    static func parse(_ text: String) -> (book: AddressBook, repairs: [String]) {
        var book = AddressBook()
        var repairs: [String] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.isEmpty else { continue }
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard fields.count == 2, let address = staticAddress(fields[1]), !book.has(address)
            else {
                repairs.append("line \(number + 1) is no mode with an own address; replaced")
                continue
            }
            if let mode = ReaderSettings.Mode(rawValue: String(fields[0])) {
                if book.addresses.updateValue(address, forKey: mode) != nil {
                    repairs.append("line \(number + 1): second address of \(mode.rawValue); the last one is used")
                }
            } else if fields[0] == provisioningName {
                if book.provisioning != nil {
                    repairs.append("line \(number + 1): second address of \(fields[0]); the last one is used")
                }
                book.provisioning = address
            } else {
                book.foreignLines.append(String(line))
            }
        }
        return (book, repairs)
    }

    /// Parses a random static address in print form; nil unless the two most significant bits are set and the others
    /// are neither all 0 nor all 1 (Core 5.4, Vol 6, Part B, 1.3.2.1).
    private static func staticAddress(_ text: Substring) -> BluetoothAddress? {
        guard let octets = Hexadecimal.octets(text, separator: UInt8(ascii: ":")), octets.count == 6 else { return nil }
        let address = BluetoothAddress(kind: .random, value: octets.reduce(0) { $0 << 8 | UInt64($1) })
        return BluetoothAddress.randomStatic(from: address.value) == address ? address : nil
    }

    private func has(_ address: BluetoothAddress) -> Bool {
        addresses.values.contains(address) || provisioning == address
    }

    private func freshAddress(_ random: inout some RandomSource) -> BluetoothAddress {
        while true {
            let bits = random.octets(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let address = BluetoothAddress.randomStatic(from: bits)
            if !has(address) { return address }
        }
    }
}
