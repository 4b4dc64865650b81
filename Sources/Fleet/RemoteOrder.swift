// SPDX-License-Identifier: Apache-2.0

public import CBOR

/// A back end's order to one reader. The signed body is a deterministic CBOR map (RFC 8949, 4.2.1).
public struct RemoteOrder: Equatable, Sendable {
    /// The octets are not an order, or not its deterministic encoding.
    public struct FormFault: Error, Equatable, Sendable {}

    /// The length of a key's identifier in octets.
    public static let keyCount = 8
    /// The length of an order's identifier in octets.
    public static let idCount = 16
    /// The maximum length of a command in octets.
    public static let commandCount = 16
    /// The maximum number of arguments.
    public static let argumentCount = 8
    /// The exclusive limit of counters and times, below which JSON numbers are exact.
    public static let numberLimit: UInt64 = 1 << 53
    private static let readerDigits = 16

    /// The reader's identifier in topics.
    public var reader: String
    /// The first octets of the SHA-256 of the signing key's SubjectPublicKeyInfo.
    public var key: [UInt8]
    /// The identifier of the order, which stays the same when the order is sent again.
    public var id: [UInt8]
    /// A number that rises with each order of the key.
    public var counter: UInt64
    /// The first second of its validity, since 1970 in UTC.
    public var notBefore: UInt64
    /// The last second of its validity, since 1970 in UTC.
    public var expires: UInt64
    /// The command, which may be unknown to this firmware.
    public var command: String
    /// The arguments of the command: a map of CBOR.
    public var arguments: [String: CBORValue]

    /// An order with these parts.
    public init(
        reader: String, key: [UInt8], id: [UInt8], counter: UInt64, notBefore: UInt64, expires: UInt64,
        command: String, arguments: [String: CBORValue] = [:]
    ) {
        self.reader = reader
        self.key = key
        self.id = id
        self.counter = counter
        self.notBefore = notBefore
        self.expires = expires
        self.command = command
        self.arguments = arguments
    }

    /// The body's octets.
    ///
    /// - Throws: `FormFault` if a part is beyond its limit.
    public func body() throws(FormFault) -> [UInt8] {
        let numbers = [counter, notBefore, expires].compactMap { Int64(exactly: $0) }
        guard isWithinLimits, numbers.count == 3 else { throw FormFault() }
        var values: [CBORValue: CBORValue] = [:]
        for (name, value) in arguments { values[.text(name)] = value }
        let map = CBORValue.map([
            .text("reader"): .text(reader), .text("key"): .octets(key), .text("id"): .octets(id),
            .text("counter"): .integer(numbers[0]), .text("not-before"): .integer(numbers[1]),
            .text("expires"): .integer(numbers[2]), .text("command"): .text(command), .text("args"): .map(values),
        ])
        var octets: [UInt8] = []
        do throws(CBORError) { try map.encode(limit: FleetLimits.orderCount, into: &octets) } catch {
            throw FormFault()
        }
        return octets
    }

    /// Parses a body. Each member occurs once, and the encoding has to equal the result of `body()`.
    public init(body: [UInt8]) throws(FormFault) {
        guard body.count <= FleetLimits.orderCount,
            case .map(let members)? = try? CBORValue(deterministic: body.span), members.count == 8,
            case .text(let reader)? = members[.text("reader")], case .octets(let key)? = members[.text("key")],
            case .octets(let id)? = members[.text("id")], case .integer(let counter)? = members[.text("counter")],
            case .integer(let notBefore)? = members[.text("not-before")],
            case .integer(let expires)? = members[.text("expires")],
            case .text(let command)? = members[.text("command")], case .map(let values)? = members[.text("args")],
            let counter = UInt64(exactly: counter), let notBefore = UInt64(exactly: notBefore),
            let expires = UInt64(exactly: expires)
        else { throw FormFault() }
        var arguments: [String: CBORValue] = [:]
        for (name, value) in values {
            guard case .text(let name) = name else { throw FormFault() }
            arguments[name] = value
        }
        self.init(
            reader: reader, key: key, id: id, counter: counter, notBefore: notBefore, expires: expires,
            command: command, arguments: arguments)
        // Equal texts may differ in their octets.
        guard try self.body() == body else { throw FormFault() }
    }

    private var isWithinLimits: Bool {
        reader.utf8.count == RemoteOrder.readerDigits && FleetTopics.isDevice(reader)
            && key.count == RemoteOrder.keyCount && id.count == RemoteOrder.idCount
            && [counter, notBefore, expires].allSatisfy { $0 < RemoteOrder.numberLimit } && notBefore <= expires
            && (1...RemoteOrder.commandCount).contains(command.utf8.count)
            && arguments.count <= RemoteOrder.argumentCount
    }
}

extension RemoteOrder {
    /// An order with its signature, not yet verified: `[body, signature]`, an array of two byte strings.
    public struct Signed: Equatable, Sendable {
        /// A prefix of the signed octets, so that no signature of another use is valid.
        private static let domain = Array("readerd-remote-v1\0".utf8)

        /// The order.
        public let order: RemoteOrder
        /// The signature by ECDSA on P-256 with SHA-256, DER.
        public let signature: [UInt8]
        private let body: [UInt8]

        /// The octets to be signed of a body.
        public static func signedOctets(_ body: [UInt8]) -> [UInt8] { domain + body }

        /// The signed octets.
        public var signedOctets: [UInt8] { Signed.signedOctets(body) }

        /// The message of a body and its signature.
        ///
        /// - Throws: `FormFault` if it exceeds `FleetLimits.orderCount`.
        public static func message(_ body: [UInt8], signature: [UInt8]) throws(FormFault) -> [UInt8] {
            var octets: [UInt8] = []
            let value = CBORValue.array([.octets(body), .octets(signature)])
            do throws(CBORError) { try value.encode(limit: FleetLimits.orderCount, into: &octets) } catch {
                throw FormFault()
            }
            return octets
        }

        /// Parses a message of at most `FleetLimits.orderCount` octets.
        public init(_ message: [UInt8]) throws(FormFault) {
            guard message.count <= FleetLimits.orderCount,
                case .array(let parts)? = try? CBORValue(deterministic: message.span), parts.count == 2,
                case .octets(let body) = parts[0], case .octets(let signature) = parts[1],
                (1...SignedObject.signatureCount).contains(signature.count)
            else { throw FormFault() }
            order = try RemoteOrder(body: body)
            self.signature = signature
            self.body = body
        }
    }
}
