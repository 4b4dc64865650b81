// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera

    /// Pictures for downloads, made on a thread of their own.
    enum BanditPictures {
        /// The JPEG of a picture; nil if it cannot be made.
        static func jpeg(_ request: PictureRequest) -> [UInt8]? { JPEGEncoder.draw(request) }
    }
#endif
