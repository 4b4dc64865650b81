// SPDX-License-Identifier: Apache-2.0

import GATTDevice
import Glibc

/// Reads the files of emulated devices.
enum EmulationFile {
    /// Loads the device file at `path`; an error is reported as `FILE:LINE: PLACE: PROBLEM`.
    static func load(
        _ path: String, name: String?, showsReads: Bool, tellsOfChanges: Bool
    ) throws(CommandError) -> DeviceTable {
        try load(path, maximum: DeviceTable.maximumFileCount, "a device file") { octets throws(DeviceFault) in
            try DeviceTable(json: octets, name: name, showsReads: showsReads, tellsOfChanges: tellsOfChanges)
        }
    }

    /// Reads the file at `path` with `read`; an error is reported as `FILE:LINE: PLACE: PROBLEM`.
    ///
    /// - Parameter maximum: the maximum length in octets. `read` gets at most one octet more, and refuses it then.
    /// - Parameter kind: the kind of file, in a few words.
    static func load<Value, Fault: Error>(
        _ path: String, maximum: Int, _ kind: String, _ read: ([UInt8]) throws(Fault) -> Value
    ) throws(CommandError) -> Value {
        let octets = try octets(path, maximum: maximum, kind)
        do throws(Fault) { return try read(octets) } catch {
            throw .misuse("\(path):\(error)")
        }
    }

    /// The content of a file, cut to one octet more than `maximum`, so that its parser can detect the excess.
    ///
    /// - Parameter kind: the kind of file, in a few words.
    static func octets(_ path: String, maximum: Int, _ kind: String) throws(CommandError) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw .misuse("\(path): cannot open it: \(String(cString: strerror(errno))); name \(kind)")
        }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: maximum + 1)
        let count = fread(&octets, 1, octets.count, file)
        guard ferror(file) == 0 else {
            throw .misuse("\(path): cannot read it; name \(kind)")
        }
        octets.removeLast(octets.count - count)
        return octets
    }
}
