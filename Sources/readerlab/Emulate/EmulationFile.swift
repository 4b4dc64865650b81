import GATTDevice
import Glibc

/// Reads files of emulated devices.
enum EmulationFile {
    /// The device in the file at `path`; a fault in it is told as `FILE:LINE: PLACE: what`.
    static func load(_ path: String, name: String?, showsReads: Bool) throws(EmulationError) -> DeviceTable {
        try load(path, maximum: DeviceTable.maximumFileCount, "a device file") { octets throws(DeviceFault) in
            try DeviceTable(json: octets, name: name, showsReads: showsReads)
        }
    }

    /// What `read` makes of the octets of the file at `path`; a fault in it is told as `FILE:LINE: PLACE: what`.
    ///
    /// - Parameter maximum: how many octets such a file may have. `read` gets at most one more, and refuses it then.
    /// - Parameter kind: what the file ought to be, in a few words.
    static func load<Value, Fault: Error>(
        _ path: String, maximum: Int, _ kind: String, _ read: ([UInt8]) throws(Fault) -> Value
    ) throws(EmulationError) -> Value {
        let octets = try octets(path, maximum: maximum, kind)
        do throws(Fault) { return try read(octets) } catch {
            throw EmulationError(code: 2, "\(path):\(error)")
        }
    }

    /// The octets of a file, and at most one more than `maximum`: enough for its reader to tell that it is too long.
    ///
    /// - Parameter kind: what the file ought to be, in a few words.
    static func octets(_ path: String, maximum: Int, _ kind: String) throws(EmulationError) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw EmulationError(
                code: 2, "\(path): cannot open it: \(String(cString: strerror(errno))); name \(kind)")
        }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: maximum + 1)
        let count = fread(&octets, 1, octets.count, file)
        guard ferror(file) == 0 else {
            throw EmulationError(code: 2, "\(path): cannot read it; name \(kind)")
        }
        octets.removeLast(octets.count - count)
        return octets
    }
}
