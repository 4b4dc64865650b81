// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The behaviour of a profile that a table cannot express: measurements that follow from each other, control points.
/// A value: writes and the subscriptions go in; refusals, values and changes of periods come out.
protocol ProfileLogic: Sendable {
    /// Reviews a write request before it is accepted; nil accepts it.
    mutating func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal?

    /// Performs an accepted write.
    mutating func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply

    /// The value that is due now; nil for the table's.
    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]?
}

extension ProfileLogic {
    mutating func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal? { nil }

    mutating func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply {
        ProfileReply()
    }

    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? { nil }
}

/// The client that writes.
struct ProfileClient {
    /// Its link.
    var link: LinkID
    /// The values to which it has subscribed.
    var subscribed: Set<BluetoothUUID>
    /// True while values of a procedure are still to be sent to it.
    var isBusy: Bool
}

/// The refusal of a write request, and the mistake that it shows, if it is one of the app.
struct ProfileRefusal {
    var error: ATTErrorCode
    var mistake: ProfileMistake?
}

/// A mistake of an app, as a rule and a sentence.
struct ProfileMistake: Equatable {
    var rule: String
    var sentence: String
}

/// The consequences of a write.
struct ProfileReply {
    /// A value to send to the client that wrote.
    struct Value {
        var type: BluetoothUUID
        var octets: [UInt8]
        /// The time since the previous one, or since the write.
        var after: Duration = .zero
    }

    /// The values, in their order.
    var values: [Value] = []
    /// True if the values of the previous procedure that are still to be sent are dropped.
    var aborts = false
    /// A new period of a value; nil for none.
    var period: (type: BluetoothUUID, every: Duration?)?
    var mistake: ProfileMistake?
}

/// The error codes that profiles share.
extension ATTErrorCode {
    /// «Procedure Already in Progress» of control points; also «Control Point Not Supported» and «Out of Range»: the
    /// first code of the application's range, which each service defines (Core 5.4, Vol 3, Part F, 3.4.1.1).
    static let firstOfService = ATTErrorCode(rawValue: 0x80)
    /// The second code of the application's range.
    static let secondOfService = ATTErrorCode(rawValue: 0x81)
}

extension ProfileClient {
    /// The refusal of a write to a control point while its indications are not enabled, or while a procedure runs.
    func refusalOfControlPoint(
        _ type: BluetoothUUID, needing others: [BluetoothUUID] = [], error: ATTErrorCode = .configurationImproper,
        mayInterrupt: Bool = false
    ) -> ProfileRefusal? {
        for needed in [type] + others where !subscribed.contains(needed) {
            let rule = needed == type ? "control-point-not-enabled" : "measurement-not-enabled"
            return ProfileRefusal(
                error: error,
                mistake: ProfileMistake(
                    rule: rule,
                    sentence:
                        "wrote to the control point \(type) before it enabled \(needed), by which the device answers: "
                        + "write the configuration (2902) first"))
        }
        guard isBusy, !mayInterrupt else { return nil }
        return ProfileRefusal(
            error: .firstOfService,
            mistake: ProfileMistake(
                rule: "procedure-in-progress",
                sentence: "wrote to the control point \(type) before the response to its last request: wait for it"))
    }
}

/// Numbers as profiles have them.
extension [UInt8] {
    /// An IEEE 11073-20601 FLOAT: 24 bits of mantissa and an exponent of ten.
    mutating func append(mantissa: Int32, exponent: Int8) {
        append(littleEndian24: UInt32(bitPattern: mantissa) & 0xFF_FFFF)
        append(UInt8(bitPattern: exponent))
    }

    /// An IEEE 11073-20601 SFLOAT: twelve bits of mantissa and four of an exponent of ten.
    mutating func append(shortMantissa mantissa: Int16, exponent: Int8) {
        append(littleEndian: UInt16(bitPattern: mantissa) & 0x0FFF | UInt16(UInt8(bitPattern: exponent) & 0x0F) << 12)
    }
}
