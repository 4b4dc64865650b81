// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// The fields of a command. A missing field or another type is INVALID_COMMAND, a length or number out of range
/// CONSTRAINT_ERROR.
struct CommandFields {
    private let fields: TLVFields?

    /// The members of `element`; a command without fields may omit the structure.
    init(_ element: TLVElement?) throws(StatusInformation) {
        do throws(TLVError) {
            fields = try element?.structure()
        } catch {
            throw StatusInformation(.invalidCommand)
        }
    }

    func unsigned<Value: FixedWidthInteger & UnsignedInteger>(
        _ number: UInt8, _: Value.Type = Value.self
    ) throws(StatusInformation) -> Value {
        try value(number) { element throws(TLVError) in try element.unsigned(Value.self) }
    }

    func octets(_ number: UInt8, upTo limit: Int = .max) throws(StatusInformation) -> [UInt8] {
        try value(number) { element throws(TLVError) in try element.octets(upTo: limit) }
    }

    func text(_ number: UInt8, upTo limit: Int) throws(StatusInformation) -> String {
        try value(number) { element throws(TLVError) in try element.text(upTo: limit) }
    }

    func structure(_ number: UInt8) throws(StatusInformation) -> TLVFields {
        try value(number) { element throws(TLVError) in try element.structure() }
    }

    func array(_ number: UInt8) throws(StatusInformation) -> TLVMembers {
        try value(number) { element throws(TLVError) in try element.array() }
    }

    /// A truth value; false if it is absent.
    func flag(_ number: UInt8) throws(StatusInformation) -> Bool {
        fields?[number] == nil
            ? false : try value(number) { element throws(TLVError) in try element.bool() }
    }

    /// An unsigned integer; nil if it is absent.
    func optionalUnsigned<Value: FixedWidthInteger & UnsignedInteger>(
        _ number: UInt8, _: Value.Type = Value.self
    ) throws(StatusInformation) -> Value? {
        fields?[number] == nil ? nil : try unsigned(number)
    }

    /// An unsigned integer; nil if it is null or absent.
    func nullableUnsigned<Value: FixedWidthInteger & UnsignedInteger>(
        _ number: UInt8, _: Value.Type = Value.self
    ) throws(StatusInformation) -> Value? { isNull(number) ? nil : try unsigned(number) }

    /// A text; nil if it is null or absent.
    func optionalText(_ number: UInt8, upTo limit: Int) throws(StatusInformation) -> String? {
        isNull(number) ? nil : try text(number, upTo: limit)
    }

    func octets(_ number: UInt8, exactly count: Int) throws(StatusInformation) -> [UInt8] {
        try value(number) { element throws(TLVError) in try element.octets(exactly: count) }
    }

    /// True if the field is present.
    func has(_ number: UInt8) -> Bool { fields?[number] != nil }

    /// True if the field is null or absent.
    func isNull(_ number: UInt8) -> Bool { fields?[number]?.isNull ?? true }

    /// Octets; nil if they are absent, null or empty (`TLVFields.optionalOctets`).
    func optionalOctets(_ number: UInt8, upTo limit: Int = .max) throws(StatusInformation) -> [UInt8]? {
        guard let element = fields?[number], !element.isNull else { return nil }
        let octets = try octets(number, upTo: limit)
        return octets.isEmpty ? nil : octets
    }

    private func value<Value>(
        _ number: UInt8, _ read: (TLVElement) throws(TLVError) -> Value
    ) throws(StatusInformation) -> Value {
        guard let element = fields?[number] else { throw StatusInformation(.invalidCommand) }
        do throws(TLVError) {
            return try read(element)
        } catch .outOfRange {
            throw StatusInformation(.constraintError)
        } catch {
            throw StatusInformation(.invalidCommand)
        }
    }
}

extension WriteOperation {
    /// The new value of an attribute that is not a list.
    func value<Value>(_ read: (TLVElement) throws(TLVError) -> Value) throws(StatusInformation) -> Value {
        guard case .replace(let element) = self else { throw StatusInformation(.invalidDataType) }
        return try StatusInformation.ofData { () throws(TLVError) in try read(element) }
    }
}

extension StatusInformation {
    /// Reads data of a write: another type is INVALID_DATA_TYPE, a value out of range CONSTRAINT_ERROR.
    static func ofData<Value>(_ read: () throws(TLVError) -> Value) throws(StatusInformation) -> Value {
        do throws(TLVError) {
            return try read()
        } catch .outOfRange {
            throw StatusInformation(.constraintError)
        } catch {
            throw StatusInformation(.invalidDataType)
        }
    }
}

extension CommandOutcome {
    /// A response command with the fields that `body` writes.
    static func response(_ command: CommandID, _ body: (inout TLVWriter) -> Void) -> CommandOutcome {
        .response(command, fields: TLVWriter.structure(body))
    }

    /// The status SUCCESS.
    static let done = CommandOutcome.status(StatusInformation.success)

    /// The status `status`.
    static func status(_ status: InteractionStatus) -> CommandOutcome { .status(StatusInformation(status)) }
}
