// SPDX-License-Identifier: Apache-2.0

public import Commands
public import Crypto
public import Fleet
import JSON
import Octets

/// An order to a reader, and its outcome.
public struct FleetOrder {
    /// The tolerance in seconds for a reader's clock that is behind; less for an order of nearly the longest lifetime.
    static let skewSeconds: UInt64 = 5

    /// The outcome.
    public enum Outcome: Equatable {
        /// The reader has answered.
        case answered(RemoteAnswer)
        /// No answer within this many seconds.
        case unanswered(seconds: Int)
        /// The order did not reach the reader.
        case undelivered(String)
    }

    /// The reader's display name.
    public let reader: String
    /// The order.
    public let order: RemoteOrder

    /// An order that is valid from now for this many seconds.
    public init(
        _ command: RemoteCommand, to device: String, name: String, key: [UInt8], id: [UInt8], counter: UInt64,
        now: UInt64, seconds: UInt64
    ) {
        reader = name
        let room = command.lifeSeconds - min(seconds, command.lifeSeconds)
        order = RemoteOrder(
            reader: device, key: key, id: id, counter: counter, notBefore: now - min(FleetOrder.skewSeconds, room),
            expires: now + seconds, command: command.rawValue)
    }

    /// The answer in a message; nil if the message answers another order.
    ///
    /// - Throws: `CommandError` if a message that claims to be the answer is not signed by the reader's terminal key.
    public func answer(in payload: [UInt8], key: P256PublicKey) throws(CommandError) -> RemoteAnswer? {
        try RemoteAnswer.verified(payload, to: order, of: reader, key: key)
    }

    /// The exit code: 0 only if the order was carried out.
    public static func code(_ outcome: Outcome) -> Int32 {
        if case .answered(let answer) = outcome, answer.result == .done { 0 } else { 1 }
    }

    // MARK: - Lines

    /// The outcome in one line.
    public func line(_ outcome: Outcome) -> String {
        let begin = "\(reader): \(order.command)"
        switch outcome {
        case .answered(let answer):
            switch (answer.result, answer.reason) {
            case (.refused, let reason?):
                return "\(begin) refused (\(reason.rawValue)): \(reason.remedy(setting: "link.may"))"
            case (.repeated, _):
                return "\(begin) was taken before, and its outcome was not kept; nothing moved this time: "
                    + "look at its events"
            case (.pending, _): return "\(begin): \(answer.missing ?? 0) chunks are missing"
            default: return "\(begin) granted" + (answer.sequence.map { ", event \($0)" } ?? "")
            }
        case .unanswered(let seconds):
            return "\(begin): no answer within \(seconds) s; it may still be carried out until \(order.expires) "
                + "(Unix time): see the reader's events, its link, and the broker's ACL for up/res"
        case .undelivered(let reason): return "\(begin): not delivered: \(reason)"
        }
    }

    /// The outcome as a JSON object.
    public func json(_ outcome: Outcome) -> String {
        var object: JSONObject = [
            "reader": reader, "device": order.reader, "id": Hexadecimal.text(order.id), "command": order.command,
            "counter": order.counter, "expires": order.expires,
        ]
        switch outcome {
        case .answered(let answer):
            object.add("result", answer.result.rawValue)
            if let reason = answer.reason { object.add("reason", reason.rawValue) }
            if let sequence = answer.sequence { object.add("sequence", sequence) }
        case .unanswered: object.add("result", "no-answer")
        case .undelivered: object.add("result", "not-delivered")
        }
        object.add("text", line(outcome))
        return object.text
    }
}

extension RemoteAnswer {
    /// The answer to an order in a message of the reader of this name; nil if the message answers another order.
    ///
    /// - Throws: `CommandError` if a message that claims to be the answer is not signed by the reader's terminal key.
    public static func verified(
        _ payload: [UInt8], to order: RemoteOrder, of reader: String, key: P256PublicKey
    ) throws(CommandError) -> RemoteAnswer? {
        guard let signed = try? RemoteAnswer.Signed(payload), signed.answer.id == order.id,
            signed.answer.device == order.reader
        else { return nil }
        guard key.isValid(signature: signed.signature.span, for: signed.signedOctets.span) else {
            throw .failed("\(reader): an answer is not signed by its terminal key, and is ignored")
        }
        return signed.answer
    }
}

extension RemoteAnswer.Reason {
    /// The meaning for the operator, and the remedy; `setting` is the setting that has to permit the order.
    public func remedy(setting: String) -> String {
        switch self {
        case .signature: "the signature is not this key's; has the message been altered on its way?"
        case .key: "the reader does not have this key; on it: readerd provision --command-key FILE"
        case .reader: "it is for another reader; the site file names the wrong device"
        case .form: "the reader does not know this order; are both of one release?"
        case .expired: "its time has ended before it arrived; compare the clocks, and send it again"
        case .early: "its time has not begun at the reader; compare the clocks, and send it again"
        case .policyBegun:
            "it was signed before the reader's policy was begun; sign it again, or see the fault link-clock"
        case .clock: "the reader's clock is not set; see readerd status, and its time service"
        case .retained: "the broker delivered it as a retained message; it is not to retain down/cmd"
        case .counter: "a later order of this key was taken; if another machine has the key, make a key for each"
        case .forbidden: "the setting \(setting) of the reader does not permit it"
        case .lockdown: "the door is locked down; end that first: --lockdown-off"
        case .tampered: "the door is blocked after a tamper; look at it, then: --tamper-reset"
        case .lockedOut: "the door is locked out after too many attempts; wait, and send it again"
        case .inactive: "the reader is ending; send it again when it is up"
        case .nothingToReset: "there is no tamper alarm to reset"
        case .logFull: "the reader's event log is full; see readerd status"
        case .notKept: "the reader could not keep the counter on its disk; see readerd status"
        case .notRecorded: "the reader could not record the event; see readerd status"
        case .busy: "the reader has too many orders at once; send it again"
        case .full: "the blacklist does not fit; raise the reader's credentials.blacklist-capacity"
        }
    }
}
