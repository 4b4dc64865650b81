// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// The opcodes of the Secure Channel protocol (Core 4.11.1).
enum SecureChannelOpcode {
    static let protocolID: UInt16 = 0
    static let standaloneAcknowledgement: UInt8 = 0x10
    static let pbkdfParamRequest: UInt8 = 0x20
    static let pbkdfParamResponse: UInt8 = 0x21
    static let pake1: UInt8 = 0x22
    static let pake2: UInt8 = 0x23
    static let pake3: UInt8 = 0x24
    static let sigma1: UInt8 = 0x30
    static let sigma2: UInt8 = 0x31
    static let sigma3: UInt8 = 0x32
    static let sigma2Resume: UInt8 = 0x33
    static let statusReport: UInt8 = 0x40
}

/// A status report of the Secure Channel protocol (Core, appendix D; 4.11.1.3).
package struct StatusReport: Equatable, Sendable {
    /// The general codes that this node sends or acts on.
    enum General {
        static let success: UInt16 = 0
        static let failure: UInt16 = 1
        static let busy: UInt16 = 8
    }

    /// The codes of the Secure Channel protocol.
    enum Code {
        static let sessionEstablished: UInt16 = 0
        static let noSharedTrustRoots: UInt16 = 1
        static let invalidParameter: UInt16 = 2
        static let closeSession: UInt16 = 3
        static let busy: UInt16 = 4
    }

    var general: UInt16
    var code: UInt16
    var data: [UInt8] = []

    package static let established = StatusReport(general: General.success, code: Code.sessionEstablished)
    static let noSharedTrustRoots = StatusReport(general: General.failure, code: Code.noSharedTrustRoots)
    static let invalidParameter = StatusReport(general: General.failure, code: Code.invalidParameter)
    static let closeSession = StatusReport(general: General.success, code: Code.closeSession)

    /// A refusal with the minimum time to wait, in milliseconds and limited to the field's maximum.
    static func busy(for duration: Duration) -> StatusReport {
        var data: [UInt8] = []
        data.append(littleEndian: UInt16(clamping: max(0, duration.wholeMilliseconds)))
        return StatusReport(general: General.busy, code: Code.busy, data: data)
    }
}

extension StatusReport {
    /// Reads a report of the Secure Channel protocol; nil for truncated octets and reports of other protocols.
    package init?(_ payload: [UInt8]) {
        let octets = payload.span
        var cursor = OctetCursor(octets)
        guard let general = try? cursor.u16(octets), let protocolID = try? cursor.u32(octets), protocolID == 0,
            let code = try? cursor.u16(octets)
        else { return nil }
        self.init(general: general, code: code, data: Array(payload[cursor.rest()]))
    }

    /// The encoding.
    package var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(littleEndian: general)
        octets.append(littleEndian: UInt32(SecureChannelOpcode.protocolID))
        octets.append(littleEndian: code)
        return octets + data
    }
}
