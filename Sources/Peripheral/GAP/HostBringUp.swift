import Timekeeping

/// Starting the controller, and what happens when it fails.
extension Host {
    /// Resets the controller and starts it, whatever it was doing.
    mutating func bringUp(at now: Instant) {
        forgetController()
        phase = .bringUp(BringUp())
        sendCommands(at: now)
    }

    /// Forgets what was said to the controller and what it holds.
    mutating func forgetController() {
        commandFlow.reset()
        outbound.removeAll()
        flow.reset(packets: 0)
        advertiser.stopped()
        rejected.removeAll()
        terminatedSets.removeAll()
        unclaimed = EarlyACLData()
        unresponsive = UnresponsiveCommands()
    }

    /// The controller has failed: its links have ended, and it is started again.
    mutating func fail(_ fault: ControllerFault, at now: Instant) {
        endLinks(reason: .hardwareFailure)
        forgetController()
        emit(.controllerFailed(fault))
        let pause = restart.pause(at: now)
        if pause == .zero {
            bringUp(at: now)
        } else {
            phase = .waiting(until: now + pause)
        }
    }

    /// Sends the command of the step at hand.
    mutating func sendStep(_ step: BringUp.Step, at now: Instant) {
        let purpose = HCICommandFlow.Purpose.bringUp(step)
        switch step {
        case .reset: send(Reset(), for: purpose, at: now)
        case .supportedCommands: send(ReadLocalSupportedCommands(), for: purpose, at: now)
        case .version: send(ReadLocalVersion(), for: purpose, at: now)
        case .features: send(LEReadLocalSupportedFeatures(), for: purpose, at: now)
        case .eventMask: send(SetEventMask(), for: purpose, at: now)
        case .leEventMask: send(LESetEventMask(), for: purpose, at: now)
        case .leBufferSize: send(LEReadBufferSize(), for: purpose, at: now)
        case .leBufferSizeV2: send(LEReadBufferSizeV2(), for: purpose, at: now)
        case .bufferSize: send(ReadBufferSize(), for: purpose, at: now)
        case .address: send(ReadBDADDR(), for: purpose, at: now)
        case .numberOfSets: send(LEReadNumberOfSupportedAdvertisingSets(), for: purpose, at: now)
        case .suggestedDataLength: send(LEWriteSuggestedDefaultDataLength(), for: purpose, at: now)
        }
    }

    /// The controller's answer to a step.
    mutating func stepAnswered(
        _ step: BringUp.Step, _ opcode: HCIOpcode, _ packet: Span<UInt8>, in range: Range<Int>, at now: Instant
    ) {
        guard case .bringUp(var start) = phase, start.step == step else { return }
        let refusal: HCIStatus? =
            switch step {
            case .reset: Reset.answer(packet, in: range).refusal { _ in }
            case .supportedCommands:
                ReadLocalSupportedCommands.answer(packet, in: range).refusal { start.commands = $0 }
            case .version: ReadLocalVersion.answer(packet, in: range).refusal { start.version = $0 }
            case .features: LEReadLocalSupportedFeatures.answer(packet, in: range).refusal { start.features = $0 }
            case .eventMask: SetEventMask.answer(packet, in: range).refusal { _ in }
            case .leEventMask: LESetEventMask.answer(packet, in: range).refusal { _ in }
            case .leBufferSize: LEReadBufferSize.answer(packet, in: range).refusal { start.buffers = $0 }
            case .leBufferSizeV2: LEReadBufferSizeV2.answer(packet, in: range).refusal { start.buffers = $0 }
            case .bufferSize: ReadBufferSize.answer(packet, in: range).refusal { start.buffers = $0 }
            case .address: ReadBDADDR.answer(packet, in: range).refusal { start.publicAddress = $0 }
            case .numberOfSets:
                LEReadNumberOfSupportedAdvertisingSets.answer(packet, in: range).refusal { start.sets = max($0, 1) }
            case .suggestedDataLength: LEWriteSuggestedDefaultDataLength.answer(packet, in: range).refusal { _ in }
            }
        if let refusal, BringUp.isFatal(refusal, of: step) {
            return fail(.commandRefused(opcode: opcode.rawValue, refusal), at: now)
        }
        goOn(start, at: now)
    }

    /// Goes to the step after the one in `start`, which is done or passed over.
    mutating func goOn(_ start: BringUp, at now: Instant) {
        var start = start
        let sizesWereAsked = [.leBufferSize, .leBufferSizeV2, .bufferSize].contains(start.step)
        let advances = start.advance()
        if sizesWereAsked, ![.leBufferSizeV2, .bufferSize].contains(start.step), let fault = start.bufferFault {
            return fail(.unsuitable(fault), at: now)
        }
        guard advances else { return started(start, at: now) }
        phase = .bringUp(start)
    }

    private mutating func started(_ controller: BringUp, at now: Instant) {
        phase = .running(controller)
        restart.readySince = now
        flow.reset(packets: controller.buffers.packets)
        let description = controller.description
        advertiser.started(extended: description.extendedAdvertising, capacity: description.advertisingSets, at: now)
        emit(.ready(description))
    }
}
