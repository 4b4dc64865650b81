// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Commands that address, sequence and security let pass.
extension OSDPDevice {
    /// The rights of the panel.
    enum Trust {
        /// Everything.
        case clear
        /// No reports: a key is set, and the panel has not shown that it knows it.
        case restricted
    }

    mutating func obey(
        _ frame: OSDPFrame, _ data: [UInt8], as trust: Trust, at now: Instant, _ effects: inout [OSDPEffect]
    ) {
        let command: OSDPCommand
        do throws(OSDPFault) { command = try OSDPCommand(code: frame.code, data.span) } catch {
            switch error {
            case .code: return refuse(.unknownCommand, frame, &effects)
            case .value: return refuse(.unable, frame, &effects)
            default: return refuse(.length, frame, &effects)
            }
        }
        switch command {
        case .poll: return send(trust == .clear ? nextReport() : .acknowledged, frame, &effects)
        case .setKey(let key): return setKey(key, frame, &effects)
        case .setLine(let line): return setLine(line, frame, &effects)
        default: break
        }
        queue.confirm()
        do throws(OSDPRefusal) {
            send(try reply(to: command, at: now, &effects), frame, &effects)
        } catch {
            refuse(error.refusal, frame, &effects)
        }
    }

    /// A command that is not obeyed.
    private struct OSDPRefusal: Error {
        var refusal: OSDPReply.Refusal
    }

    private mutating func send(_ reply: OSDPReply, _ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
        send(reply, frame, nil, &effects)
    }

    private mutating func reply(
        to command: OSDPCommand, at now: Instant, _ effects: inout [OSDPEffect]
    ) throws(OSDPRefusal) -> OSDPReply {
        switch command {
        case .identify: return .identity(configuration.identity)
        case .capabilities: return .capabilities(configuration.capabilities(takesWellKnownKey: installationEnd != nil))
        case .localStatus: return status(.local)
        case .inputStatus: return status(.inputs)
        case .outputStatus: return status(.outputs)
        case .readerStatus: return status(.reader)
        case .outputs(let orders): try obey(orders, at: now, &effects)
        case .lights(let orders):
            guard configuration.lights > 0 else { throw OSDPRefusal(refusal: .unknownCommand) }
            guard orders.allSatisfy({ $0.reader == 0 && Int($0.light) < configuration.lights }) else {
                throw OSDPRefusal(refusal: .unable)
            }
            effects += orders.map { .lights($0) }
        case .buzzer(let order):
            guard configuration.hasBuzzer else { throw OSDPRefusal(refusal: .unknownCommand) }
            guard order.reader == 0 else { throw OSDPRefusal(refusal: .unable) }
            effects.append(.buzzer(order))
        case .text(let order):
            guard configuration.hasDisplay else { throw OSDPRefusal(refusal: .unknownCommand) }
            guard order.reader == 0 else { throw OSDPRefusal(refusal: .unable) }
            effects.append(.text(order))
        case .receiveSize(let size):
            guard size >= OSDPDevice.receiveSizeMinimum else { throw OSDPRefusal(refusal: .unable) }
        case .file(let fragment): return .fileStatus(try take(fragment, &effects))
        case .manufacturer(let message):
            guard configuration.answers(message) else { throw OSDPRefusal(refusal: .unknownCommand) }
            guard message.vendor == configuration.identity.vendor else { throw OSDPRefusal(refusal: .unable) }
            effects.append(.manufacturer(message))
        case .abort: if transfer != nil { abortFile(&effects) }
        // There is no smart card: none is kept powered, and none is written to.
        case .keepActive, .extendedWrite, .challenge, .serverCryptogram, .poll, .setKey, .setLine:
            throw OSDPRefusal(refusal: .unknownCommand)
        }
        return .acknowledged
    }

    private mutating func obey(
        _ orders: [OSDPOutputOrder], at now: Instant, _ effects: inout [OSDPEffect]
    ) throws(OSDPRefusal) {
        guard configuration.outputs > 0 else { throw OSDPRefusal(refusal: .unknownCommand) }
        guard configuration.obeysOutputOrders else { throw OSDPRefusal(refusal: .unable) }
        var isPossible = false
        switchOutputs(&effects) { isPossible = $0.obey(orders, at: now) }
        guard isPossible else { throw OSDPRefusal(refusal: .unable) }
    }

    // MARK: - Reports

    private mutating func nextReport() -> OSDPReply {
        let now = self
        return queue.next { now.status($0) } ?? .acknowledged
    }

    private func status(_ status: OSDPEventQueue.Status) -> OSDPReply {
        switch status {
        case .local: .localStatus(isTampered: isTampered, hasPowerFailure: hasPowerFailure)
        case .inputs: .inputStatus(inputs)
        case .outputs: .outputStatus(outputs.states)
        case .reader: .readerStatus([isTampered ? 2 : isReaderConnected ? 0 : 1])
        }
    }

    // MARK: - Line and key

    /// The reply has the line as it will be: unchanged if the panel asks for one that is impossible.
    private mutating func setLine(_ new: OSDPLine, _ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
        queue.confirm()
        guard new.isValid else { return send(.line(line), frame, nil, &effects) }
        send(.line(new), frame, nil, &effects)
        line = new
        effects.append(.setLine(new))
    }

    private mutating func setKey(_ new: OSDPKey, _ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
        queue.confirm()
        guard !new.isWeak else { return refuse(.unable, frame, &effects) }
        pendingKey = (new, frame)
        effects.append(.storeKey(new))
    }

    /// The end of `storeKey`. A key that could not be kept is refused, and the old one stays.
    public mutating func keyStored(_ isStored: Bool, effects: inout [OSDPEffect]) {
        guard let (new, frame) = pendingKey else { return }
        pendingKey = nil
        if isStored {
            key = new
            effects.append(.notice(.keyChanged))
        }
        // The panel may have gone in the meantime.
        if secured != nil {
            if isStored { send(.acknowledged, frame, nil, &effects) } else { refuse(.unable, frame, &effects) }
        }
        if isStored { closeInstallation(effects: &effects) }
    }

    // MARK: - Files

    private mutating func take(
        _ fragment: OSDPFileFragment, _ effects: inout [OSDPEffect]
    ) throws(OSDPRefusal) -> OSDPFileStatus {
        guard configuration.fileLimit > 0 else { throw OSDPRefusal(refusal: .unknownCommand) }
        // In clear, or under the key that everybody knows, anybody could replace what the file is for.
        guard isOpened, secured?.isWithWellKnownKey == false else { throw OSDPRefusal(refusal: .securityRequired) }
        guard fragment.type == OSDPFileTransfer.opaque else {
            if transfer != nil { abortFile(&effects) }
            return OSDPFileStatus(.unknownContents)
        }
        if transfer == nil { transfer = OSDPFileTransfer(fragment, limit: configuration.fileLimit) }
        // A failed transfer is told with whatever comes next.
        if let transfer, !transfer.isOpen {
            self.transfer = nil
            return transfer.status(delay: 0)
        }
        switch transfer?.take(fragment) {
        case .next: effects.append(.file(fragment))
        case .known: break
        case .wrong:
            abortFile(&effects)
            return OSDPFileStatus(.malformed)
        case nil: return OSDPFileStatus(.unable)
        }
        let status = transfer?.status(delay: fileDelay) ?? OSDPFileStatus(.unable)
        if status.result != .proceed, status.result != .working { transfer = nil }
        return status
    }

    /// The end of the work on a file, or of the transfer before its last part; the panel gets the result with its next
    /// part or question.
    public mutating func fileEnded(_ result: OSDPFileStatus.Result) {
        guard transfer?.isOpen == true else { return }
        transfer?.finish(result)
    }
}
