// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import Console
    import Glibc
    import Timekeeping

    /// A picture from a file of the user, extracted by ffmpeg if the machine has it.
    enum BanditFilePicture {
        /// The maximum number of octets of a picture: several times a 4k still.
        private static let mostOctets = 16_777_216
        /// The maximum time for a picture, in milliseconds: apps wait ten seconds for a response.
        private static let mostTime = 8000
        private static let piece = 65_536

        /// The JPEG of a moment, fitted into the size in its proportions; nil without ffmpeg or without a picture.
        static func jpeg(_ moment: CameraFileMoment, width: Int, height: Int) -> [UInt8]? {
            let size = "\(width):\(height)"
            let fitted = "scale=\(size):force_original_aspect_ratio=decrease,pad=\(size):(ow-iw)/2:(oh-ih)/2"
            let source = ["-protocol_whitelist", "file", "-ss", "\(moment.offset)", "-i", "file:\(moment.path)"]
            let picture = ["-frames:v", "1", "-vf", fitted, "-c:v", "mjpeg", "-q:v", "3", "-f", "image2pipe", "pipe:1"]
            guard let program = try? ChildProgram.start("ffmpeg", ["-nostdin", "-v", "quiet"] + source + picture)
            else { return nil }
            close(program.input)
            let octets = read(program.output)
            close(program.output)
            if octets == nil { kill(program.process, SIGKILL) }
            guard program.wait() == 0, let octets, octets.starts(with: [0xFF, 0xD8]) else { return nil }
            return octets
        }

        /// All octets up to the end; nil if they are too many or take too long.
        private static func read(_ descriptor: CInt) -> [UInt8]? {
            var octets: [UInt8] = []
            let start = BanditServer.now
            while octets.count <= mostOctets {
                let left = mostTime - Int((BanditServer.now - start).wholeNanoseconds / 1_000_000)
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard left > 0 else { return nil }
                let count = poll(&ready, 1, CInt(left))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                let taken = withUnsafeTemporaryAllocation(byteCount: piece, alignment: 1) { buffer in
                    let taken = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    if taken > 0 { octets += buffer[..<taken] }
                    return taken
                }
                if taken == 0 { return octets }
                guard taken > 0 || errno == EINTR else { return nil }
            }
            return nil
        }
    }
#endif
