// SPDX-License-Identifier: Apache-2.0

/// The commands that a virtual controller supports (Core 5.4, Vol 4, Part E, 7.1 to 7.8), by opcode. All others are
/// unknown to it.
enum Command: UInt16, CaseIterable {
    case disconnect = 0x0406
    case readRemoteVersionInformation = 0x041D
    case setEventMask = 0x0C01
    case reset = 0x0C03
    case readTransmitPower = 0x0C2D
    case readLocalVersionInformation = 0x1001
    case readLocalSupportedCommands = 0x1002
    case readLocalSupportedFeatures = 0x1003
    case readLocalExtendedFeatures = 0x1004
    case readBufferSize = 0x1005
    case readBDAddress = 0x1009
    case readRSSI = 0x1405
    case setLEEventMask = 0x2001
    case readLEBufferSize = 0x2002
    case readLocalLEFeatures = 0x2003
    case setRandomAddress = 0x2005
    case setAdvertisingParameters = 0x2006
    case readAdvertisingTransmitPower = 0x2007
    case setAdvertisingData = 0x2008
    case setScanResponseData = 0x2009
    case setAdvertisingEnable = 0x200A
    case setScanParameters = 0x200B
    case setScanEnable = 0x200C
    case createConnection = 0x200D
    case createConnectionCancel = 0x200E
    case readFilterAcceptListSize = 0x200F
    case clearFilterAcceptList = 0x2010
    case addToFilterAcceptList = 0x2011
    case removeFromFilterAcceptList = 0x2012
    case connectionUpdate = 0x2013
    case setHostChannelClassification = 0x2014
    case readChannelMap = 0x2015
    case readRemoteFeatures = 0x2016
    case encrypt = 0x2017
    case rand = 0x2018
    case enableEncryption = 0x2019
    case longTermKeyRequestReply = 0x201A
    case longTermKeyRequestNegativeReply = 0x201B
    case readSupportedStates = 0x201C
    case receiverTest = 0x201D
    case transmitterTest = 0x201E
    case testEnd = 0x201F
    case connectionParameterRequestReply = 0x2020
    case connectionParameterRequestNegativeReply = 0x2021
    case setDataLength = 0x2022
    case readSuggestedDataLength = 0x2023
    case writeSuggestedDataLength = 0x2024
    case addToResolvingList = 0x2027
    case removeFromResolvingList = 0x2028
    case clearResolvingList = 0x2029
    case readResolvingListSize = 0x202A
    case readPeerResolvableAddress = 0x202B
    case readLocalResolvableAddress = 0x202C
    case setAddressResolutionEnable = 0x202D
    case setResolvablePrivateAddressTimeout = 0x202E
    case readMaximumDataLength = 0x202F
    case setAdvertisingSetRandomAddress = 0x2035
    case setExtendedAdvertisingParameters = 0x2036
    case setExtendedAdvertisingData = 0x2037
    case setExtendedScanResponseData = 0x2038
    case setExtendedAdvertisingEnable = 0x2039
    case readMaximumAdvertisingDataLength = 0x203A
    case readNumberOfAdvertisingSets = 0x203B
    case removeAdvertisingSet = 0x203C
    case clearAdvertisingSets = 0x203D
    case setExtendedScanParameters = 0x2041
    case setExtendedScanEnable = 0x2042
    case extendedCreateConnection = 0x2043
    case readPathCompensation = 0x204C
    case writePathCompensation = 0x204D
    case setPrivacyMode = 0x204E
    case enhancedReadTransmitPower = 0x2076
    case readRemoteTransmitPower = 0x2077
    case setTransmitPowerReporting = 0x207A
    case transmitterTestAtPower = 0x207B
}

extension Command {
    /// True if the answer is Command Status with a subsequent event, rather than Command Complete.
    var answersWithStatus: Bool {
        switch self {
        case .disconnect, .readRemoteVersionInformation, .createConnection, .extendedCreateConnection,
            .connectionUpdate, .readRemoteFeatures, .enableEncryption, .readRemoteTransmitPower:
            true
        default: false
        }
    }

    /// True if the first parameter is a connection handle that Command Complete repeats, even with an error.
    var repeatsHandle: Bool {
        switch self {
        case .readRSSI, .connectionParameterRequestReply, .connectionParameterRequestNegativeReply, .setDataLength,
            .longTermKeyRequestReply, .longTermKeyRequestNegativeReply, .setTransmitPowerReporting, .readTransmitPower,
            .readChannelMap, .enhancedReadTransmitPower:
            true
        default: false
        }
    }

    /// The number of return parameters after the handle, in octets, that are zero with an error.
    var returnedCount: Int {
        switch self {
        case .readRSSI, .readTransmitPower: 1
        case .enhancedReadTransmitPower: 3
        case .readChannelMap: 5
        default: 0
        }
    }

    /// True if the command begins an activity of the radio, which a radio test excludes.
    var startsActivity: Bool {
        switch self {
        case .setAdvertisingEnable, .setExtendedAdvertisingEnable, .setScanEnable, .setExtendedScanEnable,
            .createConnection, .extendedCreateConnection:
            true
        default: false
        }
    }

    /// The two kinds of advertising, scanning and initiating commands, which must not be mixed (Core 5.4, Vol 4, Part
    /// E, 3.1.1).
    enum AdvertisingFamily {
        case legacy
        case extended
    }

    /// The kind to which this command belongs, if any.
    var advertisingFamily: AdvertisingFamily? {
        switch self {
        case .setAdvertisingParameters, .readAdvertisingTransmitPower, .setAdvertisingData, .setScanResponseData,
            .setAdvertisingEnable, .setScanParameters, .setScanEnable, .createConnection:
            .legacy
        case .setAdvertisingSetRandomAddress, .setExtendedAdvertisingParameters, .setExtendedAdvertisingData,
            .setExtendedScanResponseData, .setExtendedAdvertisingEnable, .readMaximumAdvertisingDataLength,
            .readNumberOfAdvertisingSets, .removeAdvertisingSet, .clearAdvertisingSets, .setExtendedScanParameters,
            .setExtendedScanEnable, .extendedCreateConnection:
            .extended
        default: nil
        }
    }

    /// True if a controller with this profile supports the command.
    func isSupported(by profile: ControllerProfile) -> Bool {
        switch self {
        case .readRSSI: profile.readsRSSI
        case .readLocalExtendedFeatures: profile.admitsDualModeHosts
        case .connectionParameterRequestReply, .connectionParameterRequestNegativeReply:
            profile.connectionParametersRequest
        case .setDataLength, .readSuggestedDataLength, .writeSuggestedDataLength, .readMaximumDataLength:
            profile.dataLengthExtension
        case .readRemoteTransmitPower, .setTransmitPowerReporting, .enhancedReadTransmitPower,
            .transmitterTestAtPower, .readPathCompensation, .writePathCompensation:
            profile.powerControl
        case .addToResolvingList, .removeFromResolvingList, .clearResolvingList, .readResolvingListSize,
            .readPeerResolvableAddress, .readLocalResolvableAddress, .setAddressResolutionEnable,
            .setResolvablePrivateAddressTimeout, .setPrivacyMode:
            profile.resolvingListSize > 0
        default: advertisingFamily != .extended || profile.extendedAdvertising
        }
    }
}
