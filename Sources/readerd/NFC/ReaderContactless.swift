// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Logging
import NFC
import System
import Reader
import Timekeeping

/// Contactless phones: events from the front end to the device, and responses back.
final class ReaderContactless: ReaderService {
    unowned let process: ReaderProcess
    let contactless: NFCService
    private var watch: Watch?

    init(_ process: ReaderProcess, _ contactless: NFCService) {
        (self.process, self.contactless) = (process, contactless)
    }

    /// Watches the front end, if there is one.
    func start() throws(SystemError) {
        process.device.reader.configureContactless(settings.nfc.configuration(deviceID: process.setup.deviceID))
        watch = try reactor.watch(contactless.descriptor, .readable) { [weak self] _ in self?.receive() }
    }

    /// Releases the chip.
    func release() {
        watch?.cancel()
        watch = nil
        if !contactless.close() { log.debug("nfc: the chip did not answer in time") }
    }

    private func receive() {
        for event in contactless.takeEvents() {
            report(contactless.receive(event))
            switch event {
            case .opened, .failed, .activated, .released:
                process.device.reader.contactlessReset()
                contactless.awaitResponse(to: nil)
            case .command(let octets, let number):
                let moment = moment
                contactless.awaitResponse(to: number)
                process.device.receive(command: octets.span, at: moment)
                flush()
            }
        }
        flush()
    }

    /// Sends the device's response to the phone, if a command awaits one.
    func settle() { contactless.respond(process.device.reader.contactlessResponse) }

    /// Reports a failure or recovery of the chip.
    private func report(_ change: NFCService.Change?) {
        switch change {
        case .ready(let name, let isBack):
            log.notice("nfc: \(name) is \(isBack ? "ready again" : "ready")")
            clear(.nfcFailed)
            if isBack { record(AuditEvent(.nfcRestored, at: auditTime)) }
        case .failed(let why):
            log.debug("nfc: lost, \(why)")
            raise(.nfcFailed, "nfc: \(why); retrying; phones are served over Bluetooth")
            record(AuditEvent(.nfcFailed, at: auditTime, detail: why))
        case nil: break
        }
    }

    /// The member of the status, in its own place.
    var report: JSONObject {
        [
            "connection": contactless.connection, "state": contactless.state.name,
            "failures": contactless.failures, "activations": contactless.activations,
        ]
    }
}
