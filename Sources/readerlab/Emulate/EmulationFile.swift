import GATTDevice
import Glibc

/// Reads device files.
enum EmulationFile {
    /// The device in the file at `path`; a fault in it is told as `FILE:LINE: PLACE: what`.
    static func load(_ path: String, name: String?, showsReads: Bool) throws(EmulationError) -> DeviceTable {
        let octets = try read(path, atMost: DeviceTable.maximumFileCount)
        do throws(DeviceFault) {
            return try DeviceTable(json: octets, name: name, showsReads: showsReads)
        } catch {
            throw EmulationError(code: 2, "\(path):\(error)")
        }
    }

    /// At most one octet more than the file may have: enough to tell that it is too long.
    static func read(_ path: String, atMost maximum: Int) throws(EmulationError) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw EmulationError(
                code: 2, "\(path): cannot open it: \(String(cString: strerror(errno))); name another file")
        }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: maximum + 1)
        let count = fread(&octets, 1, octets.count, file)
        guard ferror(file) == 0 else {
            throw EmulationError(code: 2, "\(path): cannot read it; name another file")
        }
        octets.removeLast(octets.count - count)
        return octets
    }
}
