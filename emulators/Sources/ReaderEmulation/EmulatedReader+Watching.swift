// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Emulation
import Peripheral
import Protobuf
import Reader
import Timekeeping

/// The timeline: the wire's events and the reader's notices in the words of the access profile.
extension EmulatedReader {
    func takeWireEvents() {
        for event in wire.takeEvents() {
            switch event {
            case .connected(let handle, let peer): links[handle] = Link(peer: peer)
            // The host's notice follows.
            case .disconnected: break
            case .mtu(let handle, let mtu): add(.mtu(mtu), handle)
            case .subscribed(let handle, let notifications, let indications):
                add(.subscribed(to: "TX", notifications: notifications, indications: indications), handle)
            case .active(let handle): judge(.active, handle, entry: timeline.count)
            case .asked(let handle, let payload, let outcome, let withResponse, let isSwapped):
                asked(payload, outcome, withResponse: withResponse, hasSwappedLength: isSwapped, on: handle)
            case .told(let handle, let header, let treatment): told(header, treatment, on: handle)
            case .finished(let handle, let treatment):
                guard treatment.disconnectsAfter else { break }
                later(
                    .disconnect(handle, .remoteUserTerminated), after: treatment.delay + EmulatedReader.disconnectTime)
            case .reset: endLinks()
            }
        }
    }

    @discardableResult
    private func add(_ event: TimelineEntry.Event, _ handle: UInt16) -> Int {
        timeline.add(event, device: 0, link: links[handle]?.number, at: now)
    }

    func later(_ action: Late, after delay: Duration) {
        late.append((now + delay, action))
        late.sort { $0.due < $1.due }
    }

    /// Passes an event to the review of its link's app; `entry` is the timeline entry that shows it.
    func judge(_ event: ReaderReview.Event, link: UInt32, entry: Int) {
        for mistake in review.receive(event, link: link, at: now) {
            timeline.mistake(
                mistake.rule, mistake.sentence, entry: mistake.entry ?? entry, device: 0, link: link, at: now)
        }
    }

    private func judge(_ event: ReaderReview.Event, _ handle: UInt16, entry: Int) {
        if let number = links[handle]?.number { judge(event, link: number, entry: entry) }
    }

    /// The links have ended without a word of the controller.
    private func endLinks() {
        for link in links.values.compactMap(\.number).sorted() {
            let entry = timeline.add(.disconnected(reason: 0x16, byDevice: true), device: 0, link: link, at: now)
            judge(.ended(.lost), link: link, entry: entry)
        }
        links.removeAll()
        late.removeAll()
    }

    // MARK: - Messages

    /// The shortest request: a point, a block and a MAC (access profile, 5).
    private static let shortestRequest = 65 + 16 + 32

    private func asked(
        _ payload: [UInt8], _ outcome: MessageAssembler.Outcome, withResponse: Bool, hasSwappedLength: Bool,
        on handle: UInt16
    ) {
        let isHandshake = outcome == .message(.ok) && (try? SessionHandshake(decodingDelimited: payload.span)) != nil
        let isRequest =
            outcome == .message(.ok) && payload.first == 0x04 && payload.count >= EmulatedReader.shortestRequest
        let meaning =
            isHandshake ? "key exchange: the app's salt" : isRequest ? "encrypted request" : "no message of the session"
        let entry = add(
            .wrote(
                step: isHandshake ? ReaderStep.handshake : isRequest ? ReaderStep.request : "message",
                count: payload.count, withResponse: withResponse, meaning: meaning), handle)
        judge(
            .asked(isHandshake: isHandshake, isRequest: isRequest, hasSwappedLength: hasSwappedLength), handle,
            entry: entry)
        switch links[handle]?.phase {
        case .idle where isHandshake: links[handle]?.phase = .greeted
        case .proven: links[handle]?.phase = .requested
        default: break
        }
    }

    private func told(_ header: MessageHeader, _ treatment: MessageTreatment, on handle: UInt16) {
        let isProof = links[handle]?.phase == .greeted
        let step = isProof ? ReaderStep.proof : ReaderStep.answer
        let isResult = header.payloadCount > 0
        links[handle]?.phase = isProof && isResult ? .proven : .idle
        if treatment.isDropped || treatment.disconnectsBefore {
            let entry = add(.unsent(step: step, why: treatment.isDropped ? "dropped" : "the link ends"), handle)
            judge(.dropped, handle, entry: entry)
            if treatment.disconnectsBefore { wire.disconnect(handle, reason: .remoteUserTerminated) }
            return
        }
        var meaning = isProof ? "salt and signature of the reader" : "encrypted result, \(header.payloadCount) octets"
        if !isResult { meaning = "status \((treatment.status ?? header.status).explained)" }
        let isWrong = treatment.spoilsProof && isResult
        if isWrong { meaning += isProof ? ", the signature wrong as a fault" : ", its MAC wrong as a fault" }
        if treatment.delay > .zero { meaning += ", \(treatment.delay.wholeMilliseconds) ms later" }
        let entry = add(.sent(step: step, octets: [], isIndication: false, meaning: meaning), handle)
        if treatment != MessageTreatment() { judge(.faulted, handle, entry: entry) }
        let event: ReaderReview.Event = isProof && isResult ? .proved(isRight: !isWrong) : .answered
        guard treatment.delay > .zero, let number = links[handle]?.number else {
            return judge(event, handle, entry: entry)
        }
        later(.review(event, number), after: treatment.delay)
    }

    // MARK: - Notices

    func report(_ notice: ReaderNotice) {
        if notice.phone?.channel == .nfc { return reportCard(notice) }
        switch notice {
        case .controllerReady:
            noteReady()
            isReadyDue = true
        case .controllerFailed(let fault): timeline.add(.controllerFailed(fault.summary), device: nil, at: now)
        case .connected(let link, let mode, let peer): connected(link.generation, mode, peer)
        case .disconnected(let link, let reason): disconnected(link.generation, reason)
        case .measured(let link, let dBm, _), .traced(let link, let dBm):
            happened("rssi", "RSSI \(dBm) dBm", link.generation)
        case .near(let link, let median):
            happened("gate", "near, median \(median) dBm: the gate is open", link.generation)
            if let handle = handle(link.generation) { meet(ReaderStep.near, handle) }
        case .refused(let phone, let refusal):
            judge(
                .refused(refusal), link: phone.number, entry: happened("refused", words(notice), phone.number))
        case .messageRefused(let phone, let code, let isTold): refused(phone.number, code, isTold, words(notice))
        case .cardRefused(let phone, _, _): happened("card", words(notice), phone.number)
        case .executed(let phone, _, _, _), .decided(let phone, _, _): happened("decided", words(notice), phone.number)
        case .blacklisted(let phone, _), .repeated(let phone, _): happened("credential", words(notice), phone.number)
        case .unanswerable(let link): unanswerable(link.generation)
        case .advertising(let state):
            // Ready once the controller has confirmed advertising, or its end because all slots are taken.
            if isReadyDue, state != .off {
                isReadyDue = false
                timeline.add(.ready, device: nil, at: now)
            }
            timeline.add(.device("\(notice)"), device: 0, at: now)
        case .rssiUnavailable, .rssiUnusable, .rssiUsable, .unserved, .advertisingRefused, .configurationIgnored,
            .tapped, .tapEnded, .mailbox:
            timeline.add(.device("\(notice)"), device: 0, at: now)
        case .doorStarted, .door: timeline.add(.happened("door", text: "\(notice)"), device: 0, at: now)
        }
    }

    @discardableResult
    private func happened(_ name: String, _ text: String, _ link: UInt32) -> Int {
        timeline.add(.happened(name, text: text), device: 0, link: link, at: now)
    }

    /// A notice without its link, which is in the entry.
    func words(_ notice: ReaderNotice) -> String {
        let text = notice.description
        guard let end = text.firstRange(of: ": ") else { return text }
        return String(text[end.upperBound...])
    }

    func handle(_ number: UInt32) -> UInt16? { links.first { $0.value.number == number }?.key }

    private func connected(_ number: UInt32, _ mode: AdvertisingMode?, _ peer: BluetoothAddress) {
        let entry = timeline.add(.connected(peer: "\(peer)"), device: 0, link: number, at: now)
        happened("mode", "mode \(mode?.rawValue ?? "unknown")", number)
        judge(.connected(peer), link: number, entry: entry)
        guard let handle = links.first(where: { $0.value.number == nil && $0.value.peer == peer })?.key else { return }
        links[handle]?.number = number
        meet(ReaderStep.connect, handle)
    }

    private func disconnected(_ number: UInt32, _ reason: UInt8) {
        // Connection Terminated by Local Host (Core 5.4, Vol 1, Part F, 2.22), and a peer's reasons (2.19 to 2.21).
        let byDevice = reason == 0x16
        let entry = timeline.add(
            .disconnected(reason: reason, byDevice: byDevice), device: 0, link: number, at: now)
        // An app or its user ends a link with 0x13. A phone that is switched off gives other reasons (0x14, 0x15).
        let ending: ReaderReview.LinkEnding = byDevice ? .byReader : reason == 0x13 ? .byApp : .lost
        judge(.ended(ending), link: number, entry: entry)
        if let handle = handle(number) {
            links[handle] = nil
            late.removeAll { if case .disconnect(handle, _) = $0.action { true } else { false } }
        }
    }

    /// Records the message of a link that ends before the message does. To be called before the wire forgets the link.
    func noteEnds(in packet: [UInt8]) {
        guard let handle = ReaderWire.endedLink(packet), let number = links[handle]?.number,
            let (message, since, withResponse) = wire.unfinished(handle)
        else { return }
        let entry = add(
            .wrote(
                step: "message", count: message.received + MessageHeader.octetCount, withResponse: withResponse,
                meaning: "unfinished: \(message.received) of the \(message.announced) octets that the header announces"),
            handle)
        judge(.unfinished(message, since: since, entry: entry), link: number, entry: entry)
    }

    private func unanswerable(_ number: UInt32) {
        let subscription = handle(number).map(wire.subscription) ?? .present
        let text =
            subscription == .present
            ? "not answered: the link is gone, or too small" : "not answered, the phone has not subscribed to TX"
        judge(.unanswerable(subscription), link: number, entry: happened("unanswerable", text, number))
    }

    private func refused(_ number: UInt32, _ code: StatusCode, _ isTold: Bool, _ text: String) {
        let handle = handle(number)
        if !isTold, code != .unavailable, let handle { links[handle]?.phase = .idle }
        // The reader's own refusal of a request that a fault has spoilt.
        if let handle, links[handle]?.faults.contains(where: { $0.isStatus }) == true { return }
        judge(
            .refusedMessage(code, told: isTold), link: number, entry: happened("message-refused", text, number))
    }
}
