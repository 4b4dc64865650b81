// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Timekeeping

/// A step of a conversation.
enum ConversationProgress {
    /// The ATT_MTU was exchanged.
    case mtu(Int)
    /// The service is discovered and notifications are enabled: an exchange may begin.
    case subscribed
    /// The reader's signature is verified, and the token is sealed and queued.
    case handshaken
    /// The reader executed the command; the data of the result. Another exchange may begin.
    case completed([UInt8])
    /// The exchange failed.
    case failed(PhoneFailure)
    /// The reader lacks the service or a characteristic, or answered GATT requests incorrectly.
    case unusable(String)
}

/// The phone's side of one link: MTU exchange, discovery, subscription, then exchanges of the access protocol.
struct Conversation {
    /// The handles of a reader's service.
    struct Attributes {
        var rx: AttributeHandle
        var tx: AttributeHandle
        /// The client characteristic configuration of `tx`.
        var configuration: AttributeHandle
    }

    let link: LinkID
    var client: GATTClient
    private let session = SessionBox()
    private var rx: AttributeHandle?
    private var tx: AttributeHandle?
    /// The handles, once they are known.
    private(set) var attributes: Attributes?
    /// The frames that are written in the place of the session's, or those that it has written.
    var frames = AccessPhoneConfiguration.Frames.own
    private var written: [[UInt8]] = []

    /// Holds the session, which is not copyable, in a conversation, which is.
    private final class SessionBox {
        var session = PhoneSession()
    }

    /// - Parameter known: the handles from a previous connection; without them they are discovered.
    init(
        link: LinkID, service: BluetoothUUID, maximumMTU: Int = GATTClient.largestMTU, known: Attributes? = nil,
        at now: Instant
    ) {
        self.link = link
        client = GATTClient(maximumMTU: maximumMTU)
        client.start(.exchangeMTU, at: now)
        guard let known else {
            client.start(.discoverServicesByUUID(service), at: now)
            return
        }
        (attributes, rx, tx) = (known, known.rx, known.tx)
        client.start(.subscribe(descriptor: known.configuration, .notification), at: now)
    }

    /// Starts an exchange with this token; its frames are queued. Returns the failure if it cannot start.
    mutating func begin(
        token: Span<UInt8>, terminal: P256PublicKey, random: inout some RandomSource, at now: Instant
    ) -> ConversationProgress? {
        follow(session.session.start(token: token, terminal: terminal, random: &random), at: now)
    }

    /// Handles an event of the client; returns the step that it completes.
    mutating func receive(
        _ event: GATTClientEvent, random: inout some RandomSource, at now: Instant
    ) -> ConversationProgress? {
        switch event {
        case .completed(_, .success(let outcome)): return proceed(outcome, at: now)
        case .completed(_, .failure(.linkLost)): return nil
        case .completed(_, .failure(let error)): return .unusable("\(error)")
        case .notification(let handle, let value), .indication(let handle, let value):
            guard handle == tx else { return nil }
            let step = session.session.receive(value.span, random: &random)
            return follow(step, at: now) ?? (step == .send ? .handshaken : nil)
        }
    }

    private mutating func proceed(_ outcome: GATTOutcome, at now: Instant) -> ConversationProgress? {
        switch outcome {
        case .services(let services):
            guard let service = services.first else { return .unusable("service missing") }
            client.start(.discoverCharacteristics(in: service.handles), at: now)
        case .characteristics(let characteristics):
            rx = characteristics.first { $0.uuid == AccessPhoneConfiguration.rxUUID }?.value
            let transmit = characteristics.first { $0.uuid == AccessPhoneConfiguration.txUUID }
            tx = transmit?.value
            guard rx != nil, let descriptors = transmit?.descriptors else { return .unusable("characteristic missing") }
            client.start(.discoverDescriptors(in: descriptors), at: now)
        case .descriptors(let descriptors):
            guard let configuration = descriptors.first(where: { $0.uuid == .clientConfiguration }) else {
                return .unusable("notifications cannot be enabled")
            }
            if let rx, let tx { attributes = Attributes(rx: rx, tx: tx, configuration: configuration.handle) }
            client.start(.subscribe(descriptor: configuration.handle, .notification), at: now)
        case .written: return .subscribed
        case .mtu(let mtu): return .mtu(mtu)
        case .value, .sent: break
        }
        return nil
    }

    private mutating func write(_ frame: [UInt8], to rx: AttributeHandle, at now: Instant) {
        switch frames {
        case .own: client.start(.writeCommand(rx, frame), at: now)
        case .told:
            written.append(frame)
            client.start(.writeCommand(rx, frame), at: now)
        case .replayed(var recorded):
            guard !recorded.isEmpty else { return }
            client.start(.writeCommand(rx, recorded.removeFirst()), at: now)
            frames = .replayed(recorded)
        }
    }

    /// Takes the frames that were written since the last call, if they are reported.
    mutating func takeWritten() -> [[UInt8]] {
        defer { written.removeAll() }
        return written
    }

    private mutating func follow(_ step: PhoneStep, at now: Instant) -> ConversationProgress? {
        switch step {
        case .send:
            guard let rx else { return nil }
            var frame: [UInt8] = []
            while session.session.nextFrame(limit: client.mtu - 3, into: &frame) { write(frame, to: rx, at: now) }
        case .completed(let data): return .completed(data)
        case .failed(let failure): return .failed(failure)
        case .incomplete, .ignored: break
        }
        return nil
    }
}
