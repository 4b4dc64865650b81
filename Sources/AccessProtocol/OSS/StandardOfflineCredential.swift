// SPDX-License-Identifier: Apache-2.0

public import Protobuf

/// All files of an OSS Standard Offline credential, for issuers.
public struct StandardOfflineCredential: Equatable, Sendable {
    /// The info file.
    public var info: OSSInfoFile
    /// The data file.
    public var data: OSSDataContents
    /// The blacklist that it carries from door to door.
    public var blacklist: OSSBlacklistFile
    /// The extension file, if announced by `data`.
    public var extensions: OSSExtensionFile?

    /// A credential of these files. `data.hasExtensions` is set accordingly.
    public init(
        info: OSSInfoFile, data: OSSDataContents, blacklist: OSSBlacklistFile = OSSBlacklistFile(),
        extensions: OSSExtensionFile? = nil
    ) {
        (self.info, self.data, self.blacklist, self.extensions) = (info, data, blacklist, extensions)
        self.data.hasExtensions = extensions != nil
    }

    /// The files as a phone presents them.
    ///
    /// - Throws: as the files do, −7 for a data file of more than 291 octets, −250 for more than 16 blacklist
    ///   entries, −243 for extensions of more than 32 octets.
    public func files(
        requestedEventCount: UInt32? = nil, supportedEventIds: FixedBytes<12>? = nil
    ) throws(StatusCode) -> OssSoMobile {
        var (infoFile, dataFile, blacklistFile, extensionFile) = ([UInt8](), [UInt8](), [UInt8](), [UInt8]())
        info.append(to: &infoFile)
        try data.append(to: &dataFile)
        try blacklist.append(to: &blacklistFile)
        try extensions?.append(to: &extensionFile)
        guard let infoBytes = BoundedBytes<32>(copying: infoFile.span),
            let dataBytes = BoundedBytes<291>(copying: dataFile.span)
        else { throw .overflow }
        guard let blacklistBytes = BoundedBytes<257>(copying: blacklistFile.span) else {
            throw .tooManyBlacklistEntries
        }
        guard let extensionBytes = BoundedBytes<32>(copying: extensionFile.span) else { throw .extensionTooLarge }
        return OssSoMobile(
            infoFile: infoBytes, dataFile: dataBytes, blacklistFile: blacklistBytes,
            customerExtensionsFile: extensionBytes, requestedEventCount: requestedEventCount,
            supportedEventIds: supportedEventIds)
    }
}

extension OssSoMobile {
    /// Appends the signed octets: the four files in order. The phone's requests for events are not signed.
    public func appendSigned(to octets: inout [UInt8]) {
        infoFile.append(to: &octets)
        dataFile.append(to: &octets)
        blacklistFile.append(to: &octets)
        customerExtensionsFile.append(to: &octets)
    }

    /// The maximum number of signed octets.
    public static let signedLimit = 32 + 291 + 257 + 32
}
