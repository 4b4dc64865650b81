// SPDX-License-Identifier: Apache-2.0

import Octets

/// The licence and the log.
enum CameraDocuments {
    /// An HTML page.
    static let license = Array(
        """
        <!DOCTYPE html>
        <html><head><title>Licences</title></head>
        <body><h1>Licences</h1><p>An emulated camera of readerlab, under the licence of readerlab.</p></body></html>

        """.utf8)

    /// A tar file with one member (POSIX.1-2001, ustar).
    static func log(at seconds: Int64) -> [UInt8] {
        let text = Array("\(CameraDate.text(seconds)) camera emulated by readerlab\n".utf8)
        var header = field("camera.log", 100) + field("0000644", 8) + field("0000000", 8) + field("0000000", 8)
        header += field(text.count.padded(to: 11, radix: 8), 12) + field(max(0, seconds).padded(to: 11, radix: 8), 12)
        header += [UInt8](repeating: 0x20, count: 8) + Array("0".utf8) + field("", 100) + field("ustar", 6)
        header += Array("00".utf8) + [UInt8](repeating: 0, count: 512 - 265)
        let sum = header.reduce(0) { $0 + Int($1) }
        header.replaceSubrange(148..<156, with: Array(sum.padded(to: 6, radix: 8).utf8) + [0, 0x20])
        let rest = (512 - text.count % 512) % 512
        return header + text + [UInt8](repeating: 0, count: rest + 1024)
    }

    private static func field(_ text: String, _ count: Int) -> [UInt8] {
        let octets = Array(text.utf8.prefix(count))
        return octets + [UInt8](repeating: 0, count: count - octets.count)
    }
}
