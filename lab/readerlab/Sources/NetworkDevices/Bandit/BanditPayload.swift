// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import Glibc

    /// A response that is ready to be sent: the source of its octets, and the requested part of them.
    struct BanditPayload {
        /// The source of the octets.
        enum Source {
            case octets([UInt8])
            case clip(Clip)
            case file(BanditFile)
        }

        let status: Int
        let type: String?
        let hasRanges: Bool
        /// The value of Content-Range, such as `bytes 0-99/1000`.
        let contentRange: String?
        /// The range of the octets that are sent.
        let part: Range<Int>
        private let source: Source

        init(status: Int, type: String?, source: Source, range header: String?) {
            let count = BanditPayload.count(source)
            let range = status == 200 && type != nil ? ByteRange(header, of: count) : .whole
            self.init(status: status, type: type, source: source, range: range)
        }

        init(status: Int, type: String?, source: Source, range: ByteRange) {
            let count = BanditPayload.count(source)
            self.source = source
            hasRanges = status == 200 && count > 0
            switch range {
            case .whole:
                self.status = status
                self.type = type
                part = 0..<count
                contentRange = nil
            case .part(let wanted):
                self.status = 206
                self.type = type
                part = wanted
                contentRange = "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(count)"
            case .unsatisfiable:
                self.status = 416
                self.type = nil
                part = 0..<0
                contentRange = "bytes */\(count)"
            }
        }

        private static func count(_ source: Source) -> Int {
            switch source {
            case .octets(let octets): octets.count
            case .clip(let clip): clip.count
            case .file(let file): file.count
            }
        }

        /// Octets of the body; nil if the file can no longer be read.
        func octets(in range: Range<Int>) -> [UInt8]? {
            switch source {
            case .octets(let octets): Array(octets[range])
            case .clip(let clip): clip.octets(in: range)
            case .file(let file): file.octets(in: range)
            }
        }
    }

    /// An open file of the user.
    final class BanditFile {
        private let descriptor: CInt
        let count: Int

        /// Opens the file at a path; nil if it cannot be read, or its size has changed.
        init?(_ path: String, count: Int) {
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            self.count = count
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_size == count else {
                if descriptor >= 0 { close(descriptor) }
                return nil
            }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        func octets(in range: Range<Int>) -> [UInt8]? {
            var octets = [UInt8](repeating: 0, count: range.count)
            var at = 0
            while at < octets.count {
                let count = octets.withUnsafeMutableBytes {
                    pread(descriptor, $0.baseAddress.map { $0 + at }, $0.count - at, range.lowerBound + at)
                }
                guard count > 0 else { return nil }
                at += count
            }
            return octets
        }
    }
#endif
