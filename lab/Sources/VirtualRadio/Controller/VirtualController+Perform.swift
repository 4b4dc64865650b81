// SPDX-License-Identifier: Apache-2.0

extension VirtualController {
    /// Executes a command, and returns the return parameters after the status.
    func perform(_ command: Command, _ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        switch command {
        case .reset: return reset()
        case .setEventMask:
            state.eventMask = try parameters.u64()
            return []
        case .setLEEventMask:
            state.leEventMask = try parameters.u64()
            return []
        case .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize,
            .readBDAddress, .readLEBufferSize, .readLocalLEFeatures, .rand, .readSupportedStates,
            .readAdvertisingTransmitPower, .readMaximumAdvertisingDataLength, .readNumberOfAdvertisingSets,
            .readFilterAcceptListSize, .readResolvingListSize, .readSuggestedDataLength, .readMaximumDataLength,
            .readPathCompensation:
            return inform(command)
        case .readLocalExtendedFeatures: return try readExtendedFeatures(&parameters)
        case .setRandomAddress: try setRandomAddress(&parameters)
        case .clearFilterAcceptList, .addToFilterAcceptList, .removeFromFilterAcceptList:
            try changeAcceptList(command, &parameters)
        case .addToResolvingList, .removeFromResolvingList, .clearResolvingList, .readPeerResolvableAddress,
            .readLocalResolvableAddress, .setAddressResolutionEnable, .setResolvablePrivateAddressTimeout,
            .setPrivacyMode:
            return try changeResolvingList(command, &parameters)
        case .setAdvertisingParameters, .setAdvertisingData, .setScanResponseData, .setAdvertisingEnable:
            try advertise(command, &parameters)
        case .setExtendedAdvertisingParameters: return try setExtendedAdvertisingParameters(&parameters)
        case .setAdvertisingSetRandomAddress, .setExtendedAdvertisingData, .setExtendedScanResponseData,
            .setExtendedAdvertisingEnable, .removeAdvertisingSet, .clearAdvertisingSets:
            try advertiseExtended(command, &parameters)
        case .setScanParameters, .setScanEnable, .setExtendedScanParameters, .setExtendedScanEnable:
            try scan(command, &parameters)
        case .createConnection: try createConnection(&parameters)
        case .extendedCreateConnection: try extendedCreateConnection(&parameters)
        case .createConnectionCancel: try cancelConnection()
        case .disconnect: try disconnect(&parameters)
        case .readRSSI: return try readRSSI(&parameters)
        case .setHostChannelClassification: try classifyChannels(&parameters)
        case .readChannelMap: return try readChannelMap(&parameters)
        case .connectionUpdate: try updateConnection(&parameters)
        case .connectionParameterRequestReply: return try acceptParameters(&parameters)
        case .connectionParameterRequestNegativeReply: return try rejectParameters(&parameters)
        case .readRemoteFeatures: try readRemoteFeatures(&parameters)
        case .readRemoteVersionInformation: try readRemoteVersion(&parameters)
        case .encrypt: return try encrypt(&parameters)
        case .enableEncryption: try enableEncryption(&parameters)
        case .longTermKeyRequestReply: return try replyKey(&parameters)
        case .longTermKeyRequestNegativeReply: return try refuseKey(&parameters)
        case .setDataLength: return try setDataLength(&parameters)
        case .readRemoteTransmitPower: try readRemoteTransmitPower(&parameters)
        case .readTransmitPower: return try readTransmitPower(&parameters)
        case .enhancedReadTransmitPower: return try enhancedReadTransmitPower(&parameters)
        case .writePathCompensation: try writePathCompensation(&parameters)
        case .setTransmitPowerReporting: return try setTransmitPowerReporting(&parameters)
        case .receiverTest: try testReceiver(&parameters)
        case .transmitterTest: try testTransmitter(&parameters)
        case .transmitterTestAtPower: try testTransmitterAtPower(&parameters)
        case .testEnd: return try endTest()
        case .writeSuggestedDataLength: try writeSuggestedDataLength(&parameters)
        }
        return []
    }
}
