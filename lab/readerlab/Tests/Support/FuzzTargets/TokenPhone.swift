// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Protobuf
import Reader
import Timekeeping

/// The phone's half of one exchange: its salt, the request, and what the reader answers.
struct TokenPhone {
    /// An answer of the reader.
    enum Answer: Equatable {
        case status(StatusCode)
        case result([UInt8])
    }

    var token: ForgedToken
    private var assembler = MessageAssembler()
    private var salts: EnvelopeSalts?
    private(set) var answer: Answer?
    /// True once the request has been made.
    private(set) var hasAsked = false

    init(_ token: ForgedToken) { self.token = token }

    /// Takes a frame of the reader.
    mutating func receive(_ frame: [UInt8]) {
        switch assembler.receive(frame.span) {
        case .incomplete: return
        case .tooLong, .dropped: finding("the reader sends a message that is too long")
        case .rejected(let status): finding("the reader sends a message that is none: \(status)")
        case .message(let status):
            require(answer == nil, "a second answer")
            if status != .ok {
                answer = .status(status)
            } else if let salts {
                answer = .result(result(salts))
            } else {
                let reply = certain { try SessionHandshakeReply(decodingDelimited: assembler.payload.span) }
                salts = EnvelopeSalts(transponder: FuzzKeys.salt, terminal: SessionSalt(reply.terminalSalt))
            }
        }
    }

    /// The request, once the reader has answered the handshake.
    mutating func request() -> [UInt8]? {
        guard let salts, !hasAsked else { return nil }
        hasAsked = true
        var plaintext = Array(token.plaintext.prefix(Envelope.plaintextLimit))
        var payload: [UInt8] = []
        certain {
            try envelope(salts).seal(
                .request, sender: FuzzKeys.terminal.publicPoint, plaintext: &plaintext, into: &payload)
        }
        return header(of: payload) + payload
    }

    private func envelope(_ salts: EnvelopeSalts) -> Envelope {
        certain {
            try Envelope(
                ownKey: QuickPrivateKey(), peerPoint: FuzzKeys.terminal.publicPoint.octets.span, salts: salts)
        }
    }

    private func result(_ salts: EnvelopeSalts) -> [UInt8] {
        var plaintext: [UInt8] = []
        certain {
            try envelope(salts).open(
                response: assembler.payload.span, terminalPoint: FuzzKeys.terminal.publicPoint, into: &plaintext)
        }
        let result = certain { try SessionResult(decodingDelimitedPrefixOf: plaintext.span) }
        var data: [UInt8] = []
        result.data.append(to: &data)
        return data
    }

    /// Requires that a phone decodes the result as the answer of the command.
    func check(_ result: [UInt8]) {
        guard let command = token.command else { return }
        switch command.equivalent {
        case .ping: demand(VersionInfo.self, result)
        case .status, .update: demand(SystemStatus.self, result)
        case .battery: demand(BleManufacturerInfo.self, result)
        case .getTime: demand(SystemTimeUnix.self, result)
        case .eventQuery: demand(EventLogResult.self, result)
        case .systemLogQuery: demand(SystemLogResult.self, result)
        case .getConfiguration, .classicVersions:
            // A map of CBOR: major type 5 (RFC 8949, 3.1).
            require(result.first.map { $0 >> 5 } == 5, "\(command.rawValue) answers with no map")
        default: require(result.isEmpty, "\(command.rawValue) answers with octets")
        }
    }

    private func demand<Message: ProtobufMessage>(_ kind: Message.Type, _ result: [UInt8]) {
        do throws(ProtobufError) { _ = try Message(decodingDelimited: result.span) } catch {
            finding("a result that is no \(kind): \(error)")
        }
    }
}

/// A host that records the reader's requests.
struct TokenPort: ReaderPort {
    var eventOctets: [UInt8] = []
    var sent: [(link: LinkID, frame: [UInt8])] = []
    var closing: [LinkID] = []
    var isBusy = false
    var mtu = 247

    mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant) { closing.append(link) }
    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool { false }

    mutating func readTransmitPower(_ link: LinkID, at now: Instant) {}

    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        guard !isBusy else { return .busy }
        require((1...mtu - 3).contains(value.count), "a frame of \(value.count) octets")
        sent.append((link, value.array))
        return .accepted
    }

    func attMTU(_ link: LinkID) -> Int { mtu }
    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome { .gone }
    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {}
    mutating func setAdvertising(enabled: Bool, at now: Instant) {}
}
