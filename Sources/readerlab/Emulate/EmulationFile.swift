import GATTDevice
import Glibc

/// Reads files of emulated devices.
enum EmulationFile {
    /// The device in the file at `path`; a fault in it is told as `FILE:LINE: PLACE: what`.
    static func load(_ path: String, name: String?, showsReads: Bool) throws(EmulationError) -> DeviceTable {
        let octets = try octets(path, maximum: DeviceTable.maximumFileCount, "a device file")
        do throws(DeviceFault) {
            return try DeviceTable(json: octets, name: name, showsReads: showsReads)
        } catch {
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
