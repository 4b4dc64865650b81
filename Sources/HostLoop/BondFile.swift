public import Crypto
import DurableFile
import Glibc
public import Peripheral

/// Why bonds cannot be read or kept, in one line for whoever can do something about it.
public struct BondFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Which file, what is wrong, and what to do.
    public let description: String

    init(_ path: String, _ what: String) { description = "\(path): \(what)" }

    init(_ path: String, _ what: String, errno code: Int32) {
        self.init(path, "cannot \(what): \(String(cString: strerror(code)))")
    }

    init(_ failure: DurableFile.Failure) {
        let what =
            switch failure.step {
            case .create: "make it for the bonds"
            case .write, .replace: "write the bonds"
            case .openDirectory: "open it"
            case .synchronizeDirectory: "synchronize it"
            }
        self.init(failure.path, what, errno: failure.errno)
    }
}

/// Bonds, and what is kept of their clients, in a file: they outlast the process.
///
/// The file is for its owner only, and is replaced as a whole: after a power cut, it has either its old content or all
/// of the new. One that others can read, that is damaged, or that is something else is refused, and never emptied. One
/// process at a time is to use it.
///
/// The same object is given to a host as `store` and as `clientStates`. Each change waits for the disk.
public final class BondFile: BondStore, ClientStateStore {
    /// The path, as it was given.
    public let path: String
    /// The most bonds that are kept, 1 to 256.
    public let capacity: Int
    /// Why the last change could not be written; nil if it was. What has been forgotten in vain is there again in the
    /// next run, unless a later change is written.
    public private(set) var lastFault: BondFileError?
    private var records: BondRecords

    /// Reads the file at `path`, or makes it, with a key of its own for private addresses, if it is missing; its
    /// directory too, if the one above is there.
    public init(
        _ path: String, capacity: Int = TransientBondStore.defaultCapacity,
        random: any RandomSource = SystemRandomSource()
    ) throws(BondFileError) {
        self.path = path
        self.capacity = min(max(capacity, 1), BondRecords.maximumBonds)
        if let octets = try BondFile.read(path) {
            records = try BondFile.parse(octets, path)
        } else {
            var random = random
            records = BondRecords(resolvingKey: Value128(from: &random))
            try BondFile.makeDirectory(of: path)
            try BondFile.write(records, to: path)
        }
    }

    /// The identity of a device with this address and the file's key. The address has to be the same in each run:
    /// bonded peers know it.
    public func identity(_ address: BluetoothAddress) -> SecurityIdentity {
        SecurityIdentity(address: address, resolvingKey: records.resolvingKey)
    }

    // MARK: - Bonds

    /// Every bond, oldest first.
    public var bonds: [Bond] { records.bonds }

    /// Keeps `bond`, in place of any with the same identity. Throws `full` if that would be one too many, `notWritten`
    /// if the file could not be replaced: `lastFault` says why.
    public func save(_ bond: Bond) throws(BondStoreError) {
        var changed = records
        if let index = changed.bonds.firstIndex(where: { $0.identity == bond.identity }) {
            changed.bonds[index] = bond
        } else {
            guard changed.bonds.count < capacity else { throw .full }
            changed.bonds.append(bond)
        }
        guard keep(changed) else { throw .notWritten }
        records = changed
    }

    /// Forgets the bond with this identity, and what is kept of its client.
    public func remove(_ identity: BluetoothAddress) {
        var changed = records
        changed.bonds.removeAll { $0.identity == identity }
        changed.clientStates.removeAll { $0.identity == identity }
        guard changed != records else { return }
        records = changed
        _ = keep(changed)
    }

    // MARK: - Clients

    /// What was last kept of this peer and device; nil if nothing was.
    public func clientState(of identity: BluetoothAddress, device: Int) -> [UInt8]? {
        records.clientStates.first { $0.identity == identity && $0.device == device }?.octets
    }

    /// Keeps what is to be kept of a bonded client; of one that is not bonded, or of a device beyond the sixteenth,
    /// nothing is, nor more than 8192 octets.
    public func save(_ octets: [UInt8], of identity: BluetoothAddress, device: Int) {
        guard (0..<BondRecords.maximumStatesPerBond).contains(device), octets.count <= BondRecords.maximumStateCount,
            records.bonds.contains(where: { $0.identity == identity }),
            clientState(of: identity, device: device) != octets
        else { return }
        records.clientStates.removeAll { $0.identity == identity && $0.device == device }
        records.clientStates.append(.init(identity: identity, device: device, octets: octets))
        _ = keep(records)
    }

    /// Forgets what is kept of this peer.
    public func removeClientStates(of identity: BluetoothAddress) {
        guard records.clientStates.contains(where: { $0.identity == identity }) else { return }
        records.clientStates.removeAll { $0.identity == identity }
        _ = keep(records)
    }

    private func keep(_ changed: BondRecords) -> Bool {
        do throws(BondFileError) {
            try BondFile.write(changed, to: path)
            lastFault = nil
            return true
        } catch {
            lastFault = error
            return false
        }
    }
}

// MARK: - The file

extension BondFile {
    /// What the file has; nil if there is none.
    private static func read(_ path: String) throws(BondFileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw BondFileError(path, "open the bonds", errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw BondFileError(path, "examine the bonds", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw BondFileError(path, "is not a file; name another for the bonds")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw BondFileError(
                path,
                "others may read or change the keys in it; do: chmod 600 \(path), and pair again if they might have")
        }
        guard status.st_size <= BondRecords.maximumCount else {
            throw BondFileError(path, "is too long for bonds; name another file")
        }
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw BondFileError(path, "read the bonds", errno: errno) }
            guard count > 0 else { return octets }
            octets += part[..<count]
            guard octets.count <= BondRecords.maximumCount else {
                throw BondFileError(path, "is too long for bonds; name another file")
            }
        }
    }

    private static func parse(_ octets: [UInt8], _ path: String) throws(BondFileError) -> BondRecords {
        do throws(BondRecordsError) { return try BondRecords(octets.span) } catch {
            let remedy = "bring it back from a copy, or move it away and pair again"
            switch error {
            case .foreign: throw BondFileError(path, "is not a file of bonds, and is left as it is; name another")
            case .unknownVersion(let version):
                throw BondFileError(
                    path, "has version \(version) and this program reads 1; use the program that wrote it")
            case .damaged: throw BondFileError(path, "is damaged; \(remedy)")
            case .invalid(let offset, let what): throw BondFileError(path, "at octet \(offset), \(what); \(remedy)")
            case .noDigest: throw BondFileError(path, "cannot be checked: libcrypto has no SHA-256")
            }
        }
    }

    private static func makeDirectory(of path: String) throws(BondFileError) {
        let directory = DurableFile.directory(of: path)
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw BondFileError(directory, "make the directory of the bonds", errno: errno)
        }
    }

    /// Puts `records` in the file's place. What could not be read again is not written.
    private static func write(_ records: BondRecords, to path: String) throws(BondFileError) {
        let octets: [UInt8]
        do throws(BondRecordsError) {
            octets = try records.encoded()
            guard try BondRecords(octets.span) == records else { throw .damaged }
        } catch {
            throw BondFileError(path, "cannot write down such a bond (\(error)); pair again")
        }
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: octets) } catch {
            throw BondFileError(error)
        }
    }
}
