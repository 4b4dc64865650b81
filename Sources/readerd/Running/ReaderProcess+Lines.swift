// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import System
import Reader
import Timekeeping

/// Output to and input from the door's lines.
extension ReaderProcess {
    /// Sets an output. `since` is the time of the request for which the lock is set. A failure is reported once, and
    /// affects neither the other outputs nor the reader; the door tries again.
    func move(_ action: DoorAction, since: Instant?) {
        let (output, now) = (action.output, reactor.now)
        do {
            try lines.apply(action, at: now)
            if let since { metrics.count(latency: reactor.now - since) }
            for service in services { service.receive(action) }
            log.debug("line: \(output.rawValue) \(action.level ? "on" : "off")")
            if reported.failingOutputs.remove(output) != nil {
                clear(FaultCode(output))
                record(AuditEvent(.lineRestored, at: auditTime, detail: output.rawValue))
            }
        } catch {
            device.reader.doorOutputFailed(output, at: now)
            raise(FaultCode(output), "gpio.\(output.key.rawValue): \(error); retry every second")
            guard reported.failingOutputs.insert(output).inserted else { return }
            record(AuditEvent(.lineFailed, at: auditTime, detail: output.rawValue))
        }
    }

    /// Passes the state of an input's line to the door.
    func receive(_ readings: [WatchedLine.Reading], of input: DoorInput) {
        for reading in readings {
            switch reading {
            case .level(let isActive, let edge):
                device.reader.doorLine(input, isActive: isActive, since: edge, at: moment)
            case .lost(let error):
                device.reader.doorLineLost(input, at: moment)
                raise(FaultCode(input), "gpio.\(input.rawValue): \(error); retry every 5 s")
                record(AuditEvent(.lineFailed, at: auditTime, detail: input.rawValue))
            case .restored:
                clear(FaultCode(input))
                record(AuditEvent(.lineRestored, at: auditTime, detail: input.rawValue))
            }
        }
        flush()
    }
}

extension DoorOutput {
    /// The configuration key of its line.
    var key: ReaderSettings.GPIO.Line {
        switch self {
        case .lock: .lock
        case .grantedIndicator: .grantedIndicator
        case .deniedIndicator: .deniedIndicator
        case .buzzer: .buzzer
        }
    }
}

/// The door's inputs, which act before all other services.
final class ReaderInputs: ReaderService {
    unowned let process: ReaderProcess
    private let inputs: InputLines

    init(_ process: ReaderProcess, _ inputs: InputLines) { (self.process, self.inputs) = (process, inputs) }

    func start() throws(SystemError) {
        try inputs.start(reactor) { [unowned process] input, readings in process.receive(readings, of: input) }
    }

    func close() { inputs.stop() }
}
