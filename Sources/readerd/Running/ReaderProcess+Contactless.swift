// SPDX-License-Identifier: Apache-2.0

import Logging
import NFCTarget
import System
import Reader
import Timekeeping

/// Contactless phones: events from the front end to the device, and responses back.
extension ReaderProcess {
    /// Watches the front end, if there is one.
    func startContactless() throws(SystemError) {
        guard let contactless else { return }
        device.reader.configureContactless(operation.settings.nfc.configuration(deviceID: operation.deviceID))
        contactlessWatch = try reactor.watch(contactless.descriptor, .readable) { [self] _ in takeContactless() }
    }

    /// Releases the chip.
    func endContactless() {
        contactlessWatch?.cancel()
        contactlessWatch = nil
        if contactless?.close() == false { log.debug("nfc: the chip did not answer in time") }
    }

    private func takeContactless() {
        guard let contactless else { return }
        for event in contactless.takeEvents() {
            report(contactless.take(event))
            switch event {
            case .opened, .failed, .activated, .released:
                device.reader.contactlessReset()
                contactless.awaitResponse(to: nil)
            case .command(let octets, let number):
                let moment = moment
                contactless.awaitResponse(to: number)
                device.receive(command: octets.span, at: moment)
                flush()
            }
        }
        flush()
    }

    /// Sends the device's response to the phone, if a command awaits one.
    func flushContactless() { contactless?.respond(device.reader.contactlessResponse) }

    /// Reports a failure or recovery of the chip.
    private func report(_ change: NFCService.Change?) {
        switch change {
        case .ready(let name, let isBack):
            log.notice("nfc: \(name) is \(isBack ? "ready again" : "ready")")
            clear(.nfcFailed)
            if isBack { audit.record(AuditEvent(.nfcRestored, at: auditTime)) }
        case .failed(let why):
            log.debug("nfc: lost, \(why)")
            raise(.nfcFailed, "nfc: \(why); retrying; phones are served over Bluetooth")
            audit.record(AuditEvent(.nfcFailed, at: auditTime, detail: why))
        case nil: break
        }
    }
}
