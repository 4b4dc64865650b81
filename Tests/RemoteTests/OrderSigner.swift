// SPDX-License-Identifier: Apache-2.0

import CBOR
import Fleet
import Reader
import TestSupport

/// A back end of the simulated hour: its key, and the orders that it signs.
struct OrderSigner {
    /// The reader that it orders most, and another one of its site.
    static let (device, other) = ("7761307931597753", "3837363534333231")
    /// Commands that the reader's configuration permits.
    static let permitted: [RemoteCommand] = [.pulse, .officeOn, .officeOff, .lockdownOn, .lockdownOff]

    private(set) var key: SeededKey
    private(set) var keyID: [UInt8]
    /// The orders since this was last emptied, with their octets.
    var signed: [(octets: [UInt8], order: RemoteOrder)] = []
    private var seed: UInt8 = 1
    private var counter: UInt64 = 0
    private var number: UInt64 = 0

    init() throws {
        key = try SeededKey(1)
        keyID = try CommandKey(key).id
    }

    /// Goes on with a new key, whose counter begins anew.
    mutating func renew() throws {
        seed += 1
        key = try SeededKey(seed)
        keyID = try CommandKey(key).id
        counter = 0
    }

    /// A signed order of now. Some are of a command that is not permitted or not known, some have arguments, and some
    /// begin a little later.
    mutating func order(to reader: String = device, at now: Int64, _ random: inout SplitMix64) throws -> [UInt8] {
        counter += UInt64.random(in: 1...3, using: &random)
        let kind = Int.random(in: 0..<100, using: &random)
        let command: String
        switch kind {
        case 0..<3: command = RemoteCommand.extended.rawValue
        case 3..<5: command = "dance"
        default: command = OrderSigner.permitted.randomElement(using: &random)?.rawValue ?? "pulse"
        }
        let begin = UInt64(now) + ((5..<9).contains(kind) ? 15 : 0) - UInt64.random(in: 0...5, using: &random)
        let life = UInt64.random(in: 8...RemoteCommand.freshSeconds, using: &random)
        return try sign(
            RemoteOrder(
                reader: reader, key: keyID, id: identifier(), counter: counter, notBefore: begin,
                expires: begin + life, command: command, arguments: kind > 97 ? ["door": .integer(2)] : [:]))
    }

    private mutating func identifier() -> [UInt8] {
        number += 1
        return [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private mutating func sign(_ order: RemoteOrder) throws -> [UInt8] {
        let octets = try OrderSigner.message(order, by: key)
        signed.append((octets, order))
        return octets
    }

    /// The message of an order, by any key.
    static func message(_ order: RemoteOrder, by key: SeededKey) throws -> [UInt8] {
        let body = try order.body()
        return try RemoteOrder.Signed.message(body, signature: key.sign(RemoteOrder.Signed.signedOctets(body)))
    }
}
