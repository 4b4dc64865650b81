// SPDX-License-Identifier: Apache-2.0

import Protobuf

extension StandardOfflineCredential {
    /// The credential in a token as a phone sends it, its length first, for a program that shows it; nil for a token of
    /// another kind. No signature is checked. Throws −32 for octets that are no token, and as the files do.
    public init?(token: Span<UInt8>) throws(StatusCode) {
        guard let message = try? SessionToken(decodingDelimited: token) else { throw .decode }
        guard case .ossSo(let mobile) = message.payload else { return nil }
        var (info, data, blacklist, extensions) = ([UInt8](), [UInt8](), [UInt8](), [UInt8]())
        mobile.infoFile.append(to: &info)
        mobile.dataFile.append(to: &data)
        mobile.blacklistFile.append(to: &blacklist)
        mobile.customerExtensionsFile.append(to: &extensions)
        let contents = try OSSDataContents(decoding: data.span)
        self.init(
            info: try OSSInfoFile(decoding: info.span), data: contents,
            blacklist: try OSSBlacklistFile(decoding: blacklist.span, maximum: OSSBlacklistFile.mobileLimit),
            extensions: contents.hasExtensions ? try OSSExtensionFile(decoding: extensions.span) : nil)
    }
}
