// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// The position of a command in the Supported Commands (Core 5.4, Vol 4, Part E, 6.27), and the length of its
    /// parameters.
    struct Row {
        let command: Command
        /// The length of the parameters; nil if it is variable and validated by the command.
        let parameterCount: Int?
        /// The position; nil for the one command without a bit.
        let bit: (octet: Int, bit: Int)?

        init(_ command: Command, takes parameterCount: Int?, octet: Int, bit: Int) {
            self.command = command
            self.parameterCount = parameterCount
            self.bit = (octet, bit)
        }

        init(_ command: Command, takes parameterCount: Int) {
            self.command = command
            self.parameterCount = parameterCount
            bit = nil
        }
    }

    /// One row for each command.
    static let rows: [Row] = [
        Row(.disconnect, takes: 3, octet: 0, bit: 5),
        Row(.readRemoteVersionInformation, takes: 2, octet: 2, bit: 7),
        Row(.setEventMask, takes: 8, octet: 5, bit: 6),
        Row(.reset, takes: 0, octet: 5, bit: 7),
        Row(.readTransmitPower, takes: 3, octet: 10, bit: 2),
        Row(.readLocalVersionInformation, takes: 0, octet: 14, bit: 3),
        Row(.readLocalSupportedCommands, takes: 0),
        Row(.readLocalSupportedFeatures, takes: 0, octet: 14, bit: 5),
        Row(.readLocalExtendedFeatures, takes: 1, octet: 14, bit: 6),
        Row(.readBufferSize, takes: 0, octet: 14, bit: 7),
        Row(.readBDAddress, takes: 0, octet: 15, bit: 1),
        Row(.readRSSI, takes: 2, octet: 15, bit: 5),
        Row(.setLEEventMask, takes: 8, octet: 25, bit: 0),
        Row(.readLEBufferSize, takes: 0, octet: 25, bit: 1),
        Row(.readLocalLEFeatures, takes: 0, octet: 25, bit: 2),
        Row(.setRandomAddress, takes: 6, octet: 25, bit: 4),
        Row(.setAdvertisingParameters, takes: 15, octet: 25, bit: 5),
        Row(.readAdvertisingTransmitPower, takes: 0, octet: 25, bit: 6),
        Row(.setAdvertisingData, takes: 32, octet: 25, bit: 7),
        Row(.setScanResponseData, takes: 32, octet: 26, bit: 0),
        Row(.setAdvertisingEnable, takes: 1, octet: 26, bit: 1),
        Row(.setScanParameters, takes: 7, octet: 26, bit: 2),
        Row(.setScanEnable, takes: 2, octet: 26, bit: 3),
        Row(.createConnection, takes: 25, octet: 26, bit: 4),
        Row(.createConnectionCancel, takes: 0, octet: 26, bit: 5),
        Row(.readFilterAcceptListSize, takes: 0, octet: 26, bit: 6),
        Row(.clearFilterAcceptList, takes: 0, octet: 26, bit: 7),
        Row(.addToFilterAcceptList, takes: 7, octet: 27, bit: 0),
        Row(.removeFromFilterAcceptList, takes: 7, octet: 27, bit: 1),
        Row(.connectionUpdate, takes: 14, octet: 27, bit: 2),
        Row(.setHostChannelClassification, takes: 5, octet: 27, bit: 3),
        Row(.readChannelMap, takes: 2, octet: 27, bit: 4),
        Row(.readRemoteFeatures, takes: 2, octet: 27, bit: 5),
        Row(.encrypt, takes: 32, octet: 27, bit: 6),
        Row(.rand, takes: 0, octet: 27, bit: 7),
        Row(.enableEncryption, takes: 28, octet: 28, bit: 0),
        Row(.longTermKeyRequestReply, takes: 18, octet: 28, bit: 1),
        Row(.longTermKeyRequestNegativeReply, takes: 2, octet: 28, bit: 2),
        Row(.readSupportedStates, takes: 0, octet: 28, bit: 3),
        Row(.receiverTest, takes: 1, octet: 28, bit: 4),
        Row(.transmitterTest, takes: 3, octet: 28, bit: 5),
        Row(.testEnd, takes: 0, octet: 28, bit: 6),
        Row(.connectionParameterRequestReply, takes: 14, octet: 33, bit: 4),
        Row(.connectionParameterRequestNegativeReply, takes: 3, octet: 33, bit: 5),
        Row(.setDataLength, takes: 6, octet: 33, bit: 6),
        Row(.readSuggestedDataLength, takes: 0, octet: 33, bit: 7),
        Row(.writeSuggestedDataLength, takes: 4, octet: 34, bit: 0),
        Row(.addToResolvingList, takes: 39, octet: 34, bit: 3),
        Row(.removeFromResolvingList, takes: 7, octet: 34, bit: 4),
        Row(.clearResolvingList, takes: 0, octet: 34, bit: 5),
        Row(.readResolvingListSize, takes: 0, octet: 34, bit: 6),
        Row(.readPeerResolvableAddress, takes: 7, octet: 34, bit: 7),
        Row(.readLocalResolvableAddress, takes: 7, octet: 35, bit: 0),
        Row(.setAddressResolutionEnable, takes: 1, octet: 35, bit: 1),
        Row(.setResolvablePrivateAddressTimeout, takes: 2, octet: 35, bit: 2),
        Row(.readMaximumDataLength, takes: 0, octet: 35, bit: 3),
        Row(.setAdvertisingSetRandomAddress, takes: 7, octet: 36, bit: 1),
        Row(.setExtendedAdvertisingParameters, takes: 25, octet: 36, bit: 2),
        Row(.setExtendedAdvertisingData, takes: nil, octet: 36, bit: 3),
        Row(.setExtendedScanResponseData, takes: nil, octet: 36, bit: 4),
        Row(.setExtendedAdvertisingEnable, takes: nil, octet: 36, bit: 5),
        Row(.readMaximumAdvertisingDataLength, takes: 0, octet: 36, bit: 6),
        Row(.readNumberOfAdvertisingSets, takes: 0, octet: 36, bit: 7),
        Row(.removeAdvertisingSet, takes: 1, octet: 37, bit: 0),
        Row(.clearAdvertisingSets, takes: 0, octet: 37, bit: 1),
        Row(.setExtendedScanParameters, takes: nil, octet: 37, bit: 5),
        Row(.setExtendedScanEnable, takes: 6, octet: 37, bit: 6),
        Row(.extendedCreateConnection, takes: nil, octet: 37, bit: 7),
        Row(.readPathCompensation, takes: 0, octet: 39, bit: 0),
        Row(.writePathCompensation, takes: 4, octet: 39, bit: 1),
        Row(.setPrivacyMode, takes: 8, octet: 39, bit: 2),
        Row(.enhancedReadTransmitPower, takes: 3, octet: 44, bit: 3),
        Row(.readRemoteTransmitPower, takes: 3, octet: 44, bit: 4),
        Row(.setTransmitPowerReporting, takes: 4, octet: 44, bit: 7),
        Row(.transmitterTestAtPower, takes: nil, octet: 45, bit: 0),
    ]

    /// The length of each command's parameters, if fixed.
    static let parameterCounts: [Command: Int] = {
        var counts: [Command: Int] = [:]
        for row in rows { counts[row.command] = row.parameterCount }
        return counts
    }()

    /// The 64 octets of Supported Commands for this profile.
    static func supportedCommands(of profile: ControllerProfile) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64)
        for row in rows where row.command.isSupported(by: profile) {
            guard let bit = row.bit else { continue }
            octets[bit.octet] |= 1 << UInt8(bit.bit)
        }
        return octets
    }
}
