// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera

    /// Pictures for downloads, encoded on a separate thread.
    enum BanditPictures {
        /// The JPEG of a picture; nil if it cannot be encoded.
        static func jpeg(_ request: PictureRequest) -> [UInt8]? {
            request.file.flatMap { BanditFilePicture.jpeg($0, width: request.width, height: request.height) }
                ?? JPEGEncoder.draw(request)
        }
    }
#endif
