// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import CTurboJPEG

    /// A JPEG encoder with its own buffer, for pictures of one size. It must not be used by several threads at once.
    final class JPEGEncoder {
        private let handle: tjhandle
        private let buffer: UnsafeMutablePointer<UInt8>
        private let capacity: Int

        /// An encoder of pictures of at most this size; nil if the memory does not suffice.
        init?(width: Int, height: Int) {
            guard let handle = tjInitCompress() else { return nil }
            self.handle = handle
            capacity = Int(tjBufSize(Int32(width), Int32(height), Int32(TJSAMP_420.rawValue)))
            buffer = .allocate(capacity: capacity)
        }

        deinit {
            tjDestroy(handle)
            buffer.deallocate()
        }

        /// Encodes a picture. The octets are valid until the next call; the buffer is empty on failure.
        func encode(_ picture: borrowing TestPicture, quality: Int) -> UnsafeBufferPointer<UInt8> {
            let width = Int32(picture.width), height = Int32(picture.height)
            return picture.withPlanes { luminance, blue, red in
                withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: 3) { planes in
                    planes[0] = luminance.baseAddress
                    planes[1] = blue.baseAddress
                    planes[2] = red.baseAddress
                    var output: UnsafeMutablePointer<UInt8>? = buffer
                    var count = UInt(capacity)
                    let result = tjCompressFromYUVPlanes(
                        handle, planes.baseAddress, width, nil, height, Int32(TJSAMP_420.rawValue), &output, &count,
                        Int32(quality), TJFLAG_NOREALLOC)
                    return UnsafeBufferPointer(start: buffer, count: result == 0 ? Int(count) : 0)
                }
            }
        }

        /// Draws and encodes one picture, on any thread; nil on failure.
        static func draw(_ request: PictureRequest, milliseconds: Int? = nil) -> [UInt8]? {
            var picture = TestPicture(width: request.width, height: request.height)
            picture.draw(.init(frame: request.frame, milliseconds: milliseconds))
            guard let encoder = JPEGEncoder(width: picture.width, height: picture.height) else { return nil }
            for quality in [80, 60, 40, 20] {
                let jpeg = Array(encoder.encode(picture, quality: quality))
                guard !jpeg.isEmpty else { return nil }
                guard let count = request.count else { return jpeg }
                if let filled = JPEGFilling.fill(jpeg, to: count) { return filled }
            }
            return nil
        }
    }
#endif
