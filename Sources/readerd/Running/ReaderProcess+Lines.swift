import Logging
import System
import Reader
import Timekeeping

/// The door's lines, moved and read.
extension ReaderProcess {
    /// Moves a line; `since`: when the request came that the lock is moved for. A line that fails does not stop the
    /// others, nor the reader: a person has to see it, once, and the door tries again.
    func move(_ action: DoorAction, since: Instant?) {
        let (output, now) = (action.output, reactor.now)
        do {
            try lines.apply(action, at: now)
            if let since { metrics.count(latency: reactor.now - since) }
            log.debug("line: \(output.rawValue) \(action.level ? "on" : "off")")
            if failing.remove(output) != nil {
                clear(FaultCode(output))
                audit.record(AuditEvent(.lineRestored, at: auditTime, detail: output.rawValue))
            }
        } catch {
            device.reader.doorOutputFailed(output, at: now)
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
                device.reader.doorLine(input, isActive: isActive, since: edge, at: moment)
            case .lost(let error):
                device.reader.doorLineLost(input, at: moment)
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
