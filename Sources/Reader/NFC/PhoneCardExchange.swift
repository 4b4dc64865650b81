// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Credentials
import Octets

/// The reader's side of the APDUs to a phone that plays the card (`docs/protocol/nfc-profile.md`, 7): responses in,
/// commands and whole messages of the access protocol out.
///
/// BEGIN and DELIVER fetch the phone's next message, and GET RESPONSE the rest of a longer one. FETCH asks again after
/// a phone has requested time. DELIVER is chained if one APDU does not hold the answer. After the answer to the phone's
/// request the exchange is over: one touch is one request.
public struct PhoneCardExchange: Sendable {
    /// The result of a response or of an answer.
    public enum Step: Equatable, Sendable {
        /// Transmit the command APDU, and pass the response to `receive`.
        case transmit([UInt8])
        /// The phone requests time: call `resume` after `pause`.
        case wait
        /// `message` is as long as its header says: pass the answer to `deliver`.
        case received
        /// Transmit nothing further of this application.
        case end(CardOutcome)
    }

    private enum State: Equatable {
        case new, selecting, beginning, fetching, waiting, answering
        case delivering(sent: Int)
        case concluding, over
    }

    /// BEGIN, class 80: the reader's version and id.
    public static let begin: UInt8 = 0x14
    /// DELIVER, class 80: a message to the phone, or a part of one.
    public static let deliver: UInt8 = 0x16
    /// FETCH, class 80: the phone's next message.
    public static let fetch: UInt8 = 0x18
    /// The time before FETCH: at most 60 requests in the 3 s of a link, and no noticeable delay.
    public static let pause = Duration.milliseconds(50)
    /// The version of this part of the profile.
    private static let version: UInt8 = 1

    private let configuration: ContactlessConfiguration
    private var state = State.new
    private var outgoing: [UInt8] = []
    private var isLast = false
    /// The message of the phone, as far as it is received.
    public private(set) var message: [UInt8] = []

    /// An exchange with the application and the reader's id of `configuration`.
    public init(_ configuration: ContactlessConfiguration) { self.configuration = configuration }

    /// True once the phone has selected the application.
    public private(set) var isSelected = false

    /// Transmits SELECT.
    public mutating func start() -> Step {
        guard state == .new else { return end(.refused(.outOfOrder)) }
        state = .selecting
        let name = configuration.application.octets
        return .transmit([0x00, 0xA4, 0x04, 0x00, UInt8(truncatingIfNeeded: name.count)] + name + [0x00])
    }

    /// Handles the response to the last command.
    public mutating func receive(_ response: Span<UInt8>) -> Step {
        // The phone has the last answer; its response has no meaning.
        if state == .concluding { return end(.concluded) }
        do throws(CardRefusal) {
            guard response.count >= 2 else { throw .malformed }
            guard response.count <= APDULimit.response else { throw .tooLong }
            let data = response.extracting(droppingLast: 2)
            let status = StatusWord(
                rawValue: UInt16(response[response.count - 2]) << 8 | UInt16(response[response.count - 1]))
            switch state {
            case .selecting, .beginning:
                if status == .notFound, data.isEmpty { return end(.absent) }
                // A card without SELECT by name may have the application of another kind, as one with PKOC alone.
                let isOther = status == .instructionNotSupported || status == .classNotSupported
                if state == .selecting, isOther, data.isEmpty { return end(.absent) }
                return try state == .selecting ? select(data, status) : receive(data, status)
            case .fetching: return try receive(data, status)
            case .delivering(let sent):
                guard status == .ok else { throw .statusWord }
                guard data.isEmpty else { throw .malformed }
                return send(from: sent)
            case .new, .waiting, .answering, .concluding, .over: throw .outOfOrder
            }
        } catch {
            return end(.refused(error))
        }
    }

    /// Transmits FETCH to a phone that has requested time.
    public mutating func resume() -> Step {
        guard state == .waiting else { return end(.refused(.outOfOrder)) }
        state = .fetching
        return .transmit([CommandAPDU.proprietary, PhoneCardExchange.fetch, 0x00, 0x00, 0x00])
    }

    /// Transmits the answer to `message`, a whole message. After the last one the exchange is over.
    public mutating func deliver(_ answer: Span<UInt8>, isLast: Bool) -> Step {
        guard state == .answering, !answer.isEmpty else { return end(.refused(.outOfOrder)) }
        outgoing.removeAll(keepingCapacity: true)
        outgoing.append(answer)
        self.isLast = isLast
        return send(from: 0)
    }

    /// The phone's version: one data object.
    private mutating func select(_ data: Span<UInt8>, _ status: StatusWord) throws(CardRefusal) -> Step {
        guard status == .ok else { throw .statusWord }
        guard data.count == 3, data[0] == 0x80, data[1] == 0x01 else { throw .malformed }
        guard data[2] == PhoneCardExchange.version else { throw .version }
        (state, isSelected) = (.beginning, true)
        let id = configuration.deviceID.utf8.prefix(16)
        var objects: [UInt8] = [0x80, 0x01, PhoneCardExchange.version, 0x82, UInt8(truncatingIfNeeded: id.count)]
        objects += id
        let count = UInt8(truncatingIfNeeded: objects.count)
        return .transmit([CommandAPDU.proprietary, PhoneCardExchange.begin, 0x00, 0x00, count] + objects + [0x00])
    }

    /// A part of the phone's message, or none.
    private mutating func receive(_ data: Span<UInt8>, _ status: StatusWord) throws(CardRefusal) -> Step {
        if status == .pending {
            guard data.isEmpty, message.isEmpty else { throw .malformed }
            state = .waiting
            return .wait
        }
        let hasMore = status.rawValue >> 8 == StatusWord.more(0).rawValue >> 8
        guard hasMore || status == .ok else { throw .statusWord }
        if data.isEmpty {
            guard !hasMore, message.isEmpty else { throw .malformed }
            return end(.concluded)
        }
        guard data.count <= CardApplication.messageLimit - message.count else { throw .tooLong }
        message.append(data)
        if let header = MessageHeader(startOf: message.span) {
            guard header.payloadCount <= MessageLimit.payload else { throw .tooLong }
            let count = MessageHeader.octetCount + header.payloadCount
            guard hasMore ? message.count < count : message.count == count else { throw .malformed }
        } else if !hasMore {
            throw .malformed
        }
        state = hasMore ? .fetching : .answering
        return hasMore ? .transmit([CommandAPDU.interindustry, 0xC0, 0x00, 0x00, 0x00]) : .received
    }

    private mutating func send(from sent: Int) -> Step {
        let count = min(outgoing.count - sent, APDULimit.data)
        var command: [UInt8] = [
            CommandAPDU.proprietary, PhoneCardExchange.deliver, 0x00, 0x00, UInt8(truncatingIfNeeded: count),
        ]
        command += outgoing[sent..<sent + count]
        guard sent + count == outgoing.count else {
            command[0] |= CommandAPDU.chaining
            state = .delivering(sent: sent + count)
            return .transmit(command)
        }
        message.removeAll(keepingCapacity: true)
        state = isLast ? .concluding : .fetching
        return .transmit(command + [0x00])
    }

    private mutating func end(_ outcome: CardOutcome) -> Step {
        state = .over
        return .end(outcome)
    }
}
