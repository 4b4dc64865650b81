// SPDX-License-Identifier: Apache-2.0

public import Crypto
import System
import Glibc
public import Peripheral

/// A failure to read or write the bond file, as one line for the user.
public struct BondFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file, the fault and the remedy.
    public let description: String

    init(_ path: String, _ what: String) { description = "\(path): \(what)" }

    init(_ path: String, _ what: String, errno code: Int32) {
        self.init(path, "cannot \(what): \(String(cString: strerror(code)))")
    }

    init(_ failure: DurableFile.Failure) {
        let what =
            switch failure.step {
            case .create: "create the bond file"
            case .write, .replace: "write the bonds"
            case .openDirectory: "open it"
            case .synchronizeDirectory: "synchronize it"
            }
        self.init(failure.path, what, errno: failure.errno)
    }
}

/// A file of bonds and the stored state of their clients, which outlasts the process.
///
/// The file is readable by its owner only and is replaced as a whole: after a power cut it has either its old content
/// or all of the new. A file that others can read, that is damaged or that is of another kind is refused, and never
/// emptied. At most one process at a time may use it.
///
/// The same object serves a host as `store` and as `clientStates`. Each change waits for the disk.
public final class BondFile: BondStore, ClientStateStore {
    /// The path as given to the initializer.
    public let path: String
    /// The maximum number of bonds, 1 to 256.
    public let capacity: Int
    /// The reason why the last change could not be written; nil if it was written. A bond whose removal was not
    /// written returns in the next run, unless a later change is written.
    public private(set) var lastFault: BondFileError?
    /// True if this object has written the file.
    private var hasWritten = false
    private var records: BondRecords

    /// Reads the file at `path`. A missing file is created, with its own resolving key for private addresses; so
    /// is its directory, if the directory's parent exists.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of bonds, limited to 1 to 256.
    ///   - random: the source of a new file's resolving key.
    /// - Throws: `BondFileError` if the file cannot be read, is refused or cannot be created.
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
            hasWritten = true
        }
    }

    /// The identity of a device with this address and the file's resolving key. The address must be the same in each
    /// run: bonded peers know the device by it.
    public func identity(_ address: BluetoothAddress) -> SecurityIdentity {
        SecurityIdentity(address: address, resolvingKey: records.resolvingKey)
    }

    // MARK: - Bonds

    /// All bonds, the least recently used first.
    public var bonds: [Bond] { records.bonds }

    /// The reason that the file cannot be replaced at present; nil if it can. `lastFault` has the details.
    ///
    /// The first call, and each call after a failure, writes the file. Others check that the directory has room for
    /// another one: strangers cause them, so they write nothing to the disk.
    public func storageError() -> BondStoreError? {
        guard hasWritten, lastFault == nil else { return store(records) ? nil : .notWritten }
        do throws(DurableFile.Failure) {
            let count = (try? records.encoded())?.count ?? 0
            try DurableFile.checkRoom(at: path, for: count + BondRecords.longestBond)
            return nil
        } catch {
            lastFault = BondFileError(error)
            return .notWritten
        }
    }

    /// Stores `bond` as the most recently used. It replaces any bond with the same identity, and the bonds in
    /// `evicted`, whose clients' states are removed too.
    ///
    /// - Throws: `full` if `capacity` would be exceeded, `notWritten` if the file could not be replaced; `lastFault`
    ///   has the reason.
    public func save(_ bond: Bond, evicting evicted: [BluetoothAddress]) throws(BondStoreError) {
        var changed = records
        changed.bonds = try changed.bonds.saving(bond, evicting: evicted, capacity: capacity)
        changed.clientStates.removeAll { evicted.contains($0.identity) }
        guard store(changed) else { throw .notWritten }
        records = changed
    }

    /// Stores `bond` as the most recently used. It replaces any bond with the same identity.
    ///
    /// - Throws: `full` or `notWritten`.
    public func save(_ bond: Bond) throws(BondStoreError) { try save(bond, evicting: []) }

    /// Makes the bond with this identity the most recently used. The file is written if it was not already.
    public func markUsed(_ identity: BluetoothAddress) {
        var changed = records
        changed.bonds.markUsed(identity)
        guard changed != records else { return }
        records = changed
        _ = store(changed)
    }

    /// Removes the bond with this identity and its clients' states.
    public func remove(_ identity: BluetoothAddress) {
        var changed = records
        changed.bonds.removeAll { $0.identity == identity }
        changed.clientStates.removeAll { $0.identity == identity }
        guard changed != records else { return }
        records = changed
        _ = store(changed)
    }

    // MARK: - Clients

    /// The state last stored for this peer and device; nil if none was stored.
    public func clientState(of identity: BluetoothAddress, device: Int) -> [UInt8]? {
        records.clientStates.first { $0.identity == identity && $0.device == device }?.octets
    }

    /// Stores a bonded client's state. The state of a client without a bond, of a device beyond the sixteenth, or of
    /// more than 8192 octets is not stored.
    public func save(_ octets: [UInt8], of identity: BluetoothAddress, device: Int) {
        guard (0..<BondRecords.maximumStatesPerBond).contains(device), octets.count <= BondRecords.maximumStateCount,
            records.bonds.contains(where: { $0.identity == identity }),
            clientState(of: identity, device: device) != octets
        else { return }
        records.clientStates.removeAll { $0.identity == identity && $0.device == device }
        records.clientStates.append(.init(identity: identity, device: device, octets: octets))
        _ = store(records)
    }

    /// Removes the stored states of this peer, for all devices.
    public func removeClientStates(of identity: BluetoothAddress) {
        guard records.clientStates.contains(where: { $0.identity == identity }) else { return }
        records.clientStates.removeAll { $0.identity == identity }
        _ = store(records)
    }

    private func store(_ changed: BondRecords) -> Bool {
        do throws(BondFileError) {
            try BondFile.write(changed, to: path)
            lastFault = nil
            hasWritten = true
            return true
        } catch {
            lastFault = error
            return false
        }
    }
}

// MARK: - The file

extension BondFile {
    /// The file's content; nil if the file does not exist.
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
            throw BondFileError(path, "is not a regular file; use another for the bonds")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw BondFileError(
                path,
                "accessible to other users; run: chmod 600 \(path), and pair again if the keys may be known")
        }
        guard status.st_size <= BondRecords.maximumCount else {
            throw BondFileError(path, "is too long for a bond file; use another")
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
                throw BondFileError(path, "is too long for a bond file; use another")
            }
        }
    }

    private static func parse(_ octets: [UInt8], _ path: String) throws(BondFileError) -> BondRecords {
        do throws(BondRecordsError) { return try BondRecords(octets.span) } catch {
            let remedy = "restore a backup, or move it away and pair again"
            switch error {
            case .foreign: throw BondFileError(path, "is not a bond file, and is not changed; use another")
            case .unknownVersion(let version):
                throw BondFileError(
                    path, "has version \(version), supported is 1; use the program that wrote it")
            case .damaged: throw BondFileError(path, "is damaged; \(remedy)")
            case .invalid(let offset, let what): throw BondFileError(path, "at octet \(offset), \(what); \(remedy)")
            case .noDigest: throw BondFileError(path, "cannot be checked: libcrypto has no SHA-256")
            }
        }
    }

    private static func makeDirectory(of path: String) throws(BondFileError) {
        let directory = DurableFile.directory(of: path)
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw BondFileError(directory, "create the directory of the bonds", errno: errno)
        }
    }

    /// Replaces the file with `records`. Records that could not be read back are not written.
    private static func write(_ records: BondRecords, to path: String) throws(BondFileError) {
        let octets: [UInt8]
        do throws(BondRecordsError) {
            octets = try records.encoded()
            guard try BondRecords(octets.span) == records else { throw .damaged }
        } catch {
            throw BondFileError(path, "cannot encode this bond (\(error)); pair again")
        }
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: octets) } catch {
            throw BondFileError(error)
        }
    }
}
