// SPDX-License-Identifier: Apache-2.0

/// The messages of the interaction model.
enum Opcode {
    static let statusResponse: UInt8 = 1
    static let readRequest: UInt8 = 2
    static let subscribeRequest: UInt8 = 3
    static let subscribeResponse: UInt8 = 4
    static let reportData: UInt8 = 5
    static let writeRequest: UInt8 = 6
    static let writeResponse: UInt8 = 7
    static let invokeRequest: UInt8 = 8
    static let invokeResponse: UInt8 = 9
    static let timedRequest: UInt8 = 10
}

/// The revision of the interaction model, in each message. Release 1.4.
let interactionModelRevision: UInt8 = 12
