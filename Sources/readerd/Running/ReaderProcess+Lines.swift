import Logging
import Reactor
import Reader

/// The door's lines, moved and read.
extension ReaderProcess {
    /// Moves what the door wants moved.
    func moveLines() {
        device.takeDoorActions(into: &doorActions)
        for action in doorActions { move(action) }
    }

    /// A line that fails does not stop the others, nor the reader: a person has to see it, once, and the door tries
    /// again.
    func move(_ action: DoorAction) {
        let (output, now) = (action.output, reactor.now)
        do {
            try lines.apply(action, at: now)
            if output == .lock, let passed = latency.lockMoved(at: reactor.now) { metrics.count(latency: passed) }
            log.debug("line: \(output.rawValue) \(action.level ? "on" : "off")")
            if failing.remove(output) != nil {
                clear(FaultCode(output))
                audit.record(AuditEvent(.lineRestored, at: auditTime, detail: output.rawValue))
            }
        } catch {
            device.doorOutputFailed(output, at: now)
            raise(FaultCode(output), "gpio.\(output.key.rawValue): \(error); it is tried again each second")
            guard failing.insert(output).inserted else { return }
            audit.record(AuditEvent(.lineFailed, at: auditTime, detail: output.rawValue))
        }
    }

    /// What is known of an input's line goes to the door.
    func take(_ readings: [InputLines.Reading], of input: DoorInput) {
        for reading in readings {
            switch reading {
            case .level(let isActive, let edge):
                device.doorLine(input, isActive: isActive, since: edge, at: moment)
            case .lost(let error):
                device.doorLineLost(input, at: moment)
                raise(FaultCode(input), "gpio.\(input.rawValue): \(error); it is tried again every 5 s")
                audit.record(AuditEvent(.lineFailed, at: auditTime, detail: input.rawValue))
            case .restored:
                clear(FaultCode(input))
                audit.record(AuditEvent(.lineRestored, at: auditTime, detail: input.rawValue))
            }
        }
        settle()
    }
}

extension DoorOutput {
    /// The key that names its line.
    var key: ReaderSettings.GPIO.Line {
        switch self {
        case .lock: .lock
        case .grantedIndicator: .grantedIndicator
        case .deniedIndicator: .deniedIndicator
        case .buzzer: .buzzer
        }
    }
}
