// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Commands that have passed the checks of address, sequence and security.
extension OSDPDevice {
    /// The rights of the panel.
    enum Trust {
        /// Everything.
        case full
        /// No reports: a key is set, and the panel has not shown that it knows it.
        case restricted
    }

    mutating func execute(
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
        // A command without full trust does not prove that the panel received the report.
        if trust == .full, case .card(let card) = queue.confirm() { effects.append(.notice(.cardReported(card))) }
        switch command {
        case .poll: return send(trust == .full ? nextReport() : .acknowledged, frame, &effects)
        case .setKey(let key): return setKey(key, frame, &effects)
        case .setLine(let line): return setLine(line, frame, &effects)
        default: break
        }
        do throws(Refused) {
            send(try reply(to: command, at: now, &effects), frame, &effects)
        } catch {
            refuse(error.refusal, frame, &effects)
        }
    }

    /// A command that is not executed.
    private struct Refused: Error {
        var refusal: OSDPRefusal
    }

    private mutating func send(_ reply: OSDPReply, _ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
        send(reply, frame, nil, &effects)
    }

    private mutating func reply(
        to command: OSDPCommand, at now: Instant, _ effects: inout [OSDPEffect]
    ) throws(Refused) -> OSDPReply {
        switch command {
        case .identify: return .identity(configuration.identity)
        case .capabilities: return .capabilities(configuration.capabilities(takesWellKnownKey: installationEnd != nil))
        case .localStatus: return status(.local)
        case .inputStatus: return status(.inputs)
        case .outputStatus: return status(.outputs)
        case .readerStatus: return status(.reader)
        // 7.8: the states are a reply to osdp_OUT as well, and no acknowledgement.
        case .outputs(let orders) where refusesSwitchingOn && orders.contains(where: \.control.switchesOn):
            return status(.outputs)
        case .outputs(let orders): try execute(orders, at: now, &effects)
        case .lights(let orders):
            guard configuration.lights > 0 else { throw Refused(refusal: .unknownCommand) }
            guard orders.allSatisfy({ $0.reader == 0 && Int($0.light) < configuration.lights }) else {
                throw Refused(refusal: .unable)
            }
            effects += orders.map { .lights($0) }
        case .buzzers(let orders):
            guard configuration.hasBuzzer else { throw Refused(refusal: .unknownCommand) }
            guard orders.allSatisfy({ $0.reader == 0 }) else { throw Refused(refusal: .unable) }
            effects += orders.map { .buzzer($0) }
        case .text(let order):
            guard configuration.hasDisplay else { throw Refused(refusal: .unknownCommand) }
            guard order.reader == 0 else { throw Refused(refusal: .unable) }
            effects.append(.text(order))
        case .receiveSize(let size):
            guard size >= OSDPDevice.receiveSizeMinimum else { throw Refused(refusal: .unable) }
        case .file(let fragment): return .fileStatus(try receive(fragment, &effects))
        case .manufacturer(let message):
            guard configuration.answers(message) else { throw Refused(refusal: .unknownCommand) }
            guard message.vendor == configuration.identity.vendor else { throw Refused(refusal: .unable) }
            effects.append(.manufacturer(message))
        case .abort:
            if transfer != nil {
                guard !holdsFile else { throw Refused(refusal: .unable) }
                abortFile(&effects)
            }
        // There is no smart card: none is kept powered, and none is written to.
        case .keepActive, .extendedWrite, .other, .challenge, .serverCryptogram, .poll, .setKey, .setLine:
            throw Refused(refusal: .unknownCommand)
        }
        return .acknowledged
    }

    private mutating func execute(
        _ orders: [OSDPOutputOrder], at now: Instant, _ effects: inout [OSDPEffect]
    ) throws(Refused) {
        guard configuration.outputs > 0 else { throw Refused(refusal: .unknownCommand) }
        guard configuration.obeysOutputOrders else { throw Refused(refusal: .unable) }
        var isPossible = false
        switchOutputs(&effects) { isPossible = $0.execute(orders, at: now) }
        guard isPossible else { throw Refused(refusal: .unable) }
    }

    // MARK: - Reports

    private mutating func nextReport() -> OSDPReply {
        let now = self
        return queue.next { now.status($0) } ?? .acknowledged
    }

    private func status(_ status: OSDPEventQueue.Status) -> OSDPReply {
        switch status {
        case .local: .localStatus(isTampered: isTampered, hasPowerFailure: hasPowerFailure)
        case .inputs: .inputStatus(inputs.map { OSDPInputState(isActive: $0) })
        case .outputs: .outputStatus(outputs.states)
        case .reader: .readerStatus([isTampered ? 2 : isReaderConnected ? 0 : 1])
        }
    }

    // MARK: - Line and key

    /// Changes address and speed. The reply has the resulting values, which an invalid request leaves unchanged.
    private mutating func setLine(_ new: OSDPLine, _ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
        guard new.isValid else { return send(.line(line), frame, nil, &effects) }
        send(.line(new), frame, nil, &effects)
        line = new
        effects.append(.setLine(new))
    }

    private mutating func setKey(_ new: OSDPKey, _ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
        guard !new.isWeak else { return refuse(.unable, frame, &effects) }
        pendingKey = PendingKey(key: new, frame: frame, answerEnd: answerEnd)
        effects.append(.storeKey(new))
    }

    /// Completes `storeKey`. A key that could not be stored is refused, and the old one stays. If the time to answer
    /// the command is over, the panel gets the reply when it repeats the command.
    public mutating func keyStored(_ isStored: Bool, at now: Instant, effects: inout [OSDPEffect]) {
        guard let pending = pendingKey else { return }
        pendingKey = nil
        if isStored {
            key = pending.key
            // The panel gets the full time of silence to begin a session under the new key.
            lastProof = now
            effects.append(.notice(.keyChanged))
        }
        // The session may have ended in the meantime.
        if secured != nil {
            isOpened = true
            answerEnd = pending.answerEnd ?? .origin
            let isInTime = pending.answerEnd.map { now <= $0 } ?? false
            exchange?.end = now + OSDPDevice.reportLifetime
            if isStored {
                send(.acknowledged, pending.frame, nil, isTransmitted: isInTime, &effects)
            } else {
                refuse(.unable, pending.frame, isTransmitted: isInTime, &effects)
            }
        }
        if isStored { closeInstallation(effects: &effects) }
    }

    // MARK: - Files

    private mutating func receive(
        _ fragment: OSDPFileFragment, _ effects: inout [OSDPEffect]
    ) throws(Refused) -> OSDPFileStatus {
        guard configuration.fileLimit > 0 else { throw Refused(refusal: .unknownCommand) }
        // In clear, or under the well-known key, any device on the line could replace the file.
        guard isOpened, secured?.isWithWellKnownKey == false else { throw Refused(refusal: .securityRequired) }
        guard fragment.type == OSDPFileTransfer.opaque else {
            if transfer != nil { abortFile(&effects) }
            return OSDPFileStatus(.unknownContents)
        }
        if transfer == nil {
            guard !holdsFile else { return OSDPFileStatus(.unable) }
            transfer = OSDPFileTransfer(fragment, limit: configuration.fileLimit)
        }
        // The next part or question gets the result of a finished transfer.
        if let transfer, !transfer.isOpen {
            self.transfer = nil
            return transfer.status(delay: 0)
        }
        switch transfer?.receive(fragment) {
        case .next: effects.append(.file(fragment))
        case .known: break
        case .wrong:
            if !holdsFile { abortFile(&effects) }
            return OSDPFileStatus(.malformed)
        case nil: return OSDPFileStatus(.unable)
        }
        let status = transfer?.status(delay: fileDelay) ?? OSDPFileStatus(.unable)
        if status.result != .proceed, status.result != .working { transfer = nil }
        return status
    }

    /// Ends the processing of a file, or its transfer before the last part. The panel gets the result with its next
    /// part or question.
    public mutating func fileEnded(_ result: OSDPFileStatus.Result) {
        guard transfer?.isOpen == true else { return }
        transfer?.finish(result)
    }
}
