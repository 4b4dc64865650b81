import Crypto
import Octets
import Peripheral
import Reader

/// The random static address of each way of advertising, and of provisioning. A reader keeps them for life, so that phones and sniffers
/// see one device and not a new one after each start.
struct AddressBook: Equatable {
    /// The file in the state directory: a line per mode, `on-touch C0:11:22:33:44:55`.
    static let fileName = "addresses"
    /// A file that somebody may have added modes to.
    private static let maximumCount = 4096

    private var addresses: [ReaderSettings.Mode: BluetoothAddress] = [:]
    /// The address of the device that phones bring into a network.
    private(set) var provisioning: BluetoothAddress?
    /// Its name in the file.
    private static let provisioningName = "provisioning"
    /// Lines of modes that this version does not know: a later one wrote them, and may come back.
    private var foreignLines: [String] = []

    /// The address of a mode.
    subscript(mode: ReaderSettings.Mode) -> BluetoothAddress? { addresses[mode] }

    /// The addresses in `state`. What is missing there, or of no use, is made and stored; the second value says in
    /// words what was of no use: an address is not worth a reader that does not start.
    static func load(
        from state: StateDirectory, random: inout some RandomSource
    ) throws(ReaderdError) -> (book: AddressBook, repairs: [String]) {
        let path = state.file(fileName)
        let contents = try state.contents(of: fileName, maximumCount: maximumCount)
        var (book, repairs) = AddressBook.parse(String(decoding: contents?.octets ?? [], as: UTF8.self))
        let missing = ReaderSettings.Mode.allCases.filter { book.addresses[$0] == nil }
        if !missing.isEmpty || book.provisioning == nil {
            for mode in missing { book.addresses[mode] = book.freshAddress(&random) }
            if book.provisioning == nil { book.provisioning = book.freshAddress(&random) }
            try state.replace(fileName, with: Array(book.text.utf8))
        }
        repairs = repairs.map { "\(path): \($0)" }
        return (book, repairs)
    }

    /// The same with the kernel's randomness.
    static func load(from state: StateDirectory) throws(ReaderdError) -> (book: AddressBook, repairs: [String]) {
        var random = SystemRandomSource()
        return try load(from: state, random: &random)
    }

    /// As the file has it.
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
                repairs.append("line \(number + 1) is not a mode and an address of its own; it was replaced")
                continue
            }
            if let mode = ReaderSettings.Mode(rawValue: String(fields[0])) {
                if book.addresses.updateValue(address, forKey: mode) != nil {
                    repairs.append("line \(number + 1) gives \(mode.rawValue) a second address; the last one holds")
                }
            } else if fields[0] == provisioningName {
                if book.provisioning != nil {
                    repairs.append("line \(number + 1) gives \(fields[0]) a second address; the last one holds")
                }
                book.provisioning = address
            } else {
                book.foreignLines.append(String(line))
            }
        }
        return (book, repairs)
    }

    /// A random static address as it is printed (Core 5.4, Vol 6, Part B, 1.3.2.1): the two highest bits are set,
    /// and the others neither all zeros nor all ones.
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
