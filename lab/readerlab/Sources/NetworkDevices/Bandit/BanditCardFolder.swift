// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import ActionCamera
    import Console
    import Glibc

    /// A directory of the user's files, presented as a memory card.
    enum BanditCardFolder {
        /// The maximum number of files of either kind.
        private static let mostFiles = 2000
        /// The maximum number of octets of a file's sample table: several hours of video.
        private static let mostTable = 33_554_432

        /// The MP4 and JPG files of a directory, ordered by name. Other files are ignored.
        static func load(_ path: String) throws(CommandError) -> CardContent {
            guard let directory = opendir(path) else {
                throw .misuse(
                    "\(path): cannot open it: \(String(cString: strerror(errno))); name a directory with files"
                )
            }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                names.append(
                    withUnsafeBytes(of: &entry.pointee.d_name) { octets in
                        String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
                    })
            }
            var content = CardContent()
            for name in names.sorted() {
                let file = "\(path)/\(name)"
                var status = stat()
                guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { continue }
                let lower = name.lowercased()
                let created = Int64(status.st_mtim.tv_sec)
                if lower.hasSuffix(".mp4"), content.videos.count < mostFiles {
                    guard let moov = moov(file, Int(status.st_size)), let properties = MP4Properties(moov: moov) else {
                        throw .misuse("\(file): is no MP4 file with a picture; take it away")
                    }
                    content.videos.append(
                        CardContent.Video(
                            CardFile(path: file, count: Int(status.st_size)), created: created, properties))
                } else if lower.hasSuffix(".jpg") || lower.hasSuffix(".jpeg"), content.images.count < mostFiles {
                    content.images.append(
                        CardContent.Image(CardFile(path: file, count: Int(status.st_size)), created: created))
                }
            }
            return content
        }

        /// The content of a file's `moov` box; nil without one.
        private static func moov(_ path: String, _ size: Int) -> [UInt8]? {
            guard let file = BanditFile(path, count: size) else { return nil }
            var at = 0
            while at + 8 <= size {
                guard let octets = file.octets(in: at..<min(size, at + 16)),
                    let box = MP4Box.header(octets, left: size - at), box.size <= size - at
                else { return nil }
                if box.name == "moov" {
                    guard box.size <= mostTable else { return nil }
                    return file.octets(in: at + box.header..<at + box.size)
                }
                at += box.size
            }
            return nil
        }
    }
#endif
