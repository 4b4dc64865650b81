// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Credentials

/// The files of cards and phones that a configuration names. A reader starts without them, and refuses what needs them.
extension DecodedSettings {
    /// Adds the faults of the files that a reader could not use, and warnings about what they cannot open.
    mutating func checkFiles() {
        guard !hasFaults else { return }
        checkCards()
        checkDESFireKeys()
        checkAliroCertificate()
    }

    /// A list that is not in place yet is a warning, as one that no key names.
    private mutating func checkCards() {
        guard let path = settings.credentials.cards else { return }
        do throws(ReaderdError) {
            guard let file = try CardListFile.load(existing: path) else {
                return addWarning(
                    "credentials.cards", "\(path): no such file, so no card opens: make it with readerlab credentials")
            }
            checkNumbers(of: file, path)
        } catch { addFault("credentials.cards", "\(error)") }
    }

    /// A number of another length than the reader reads is never found.
    private mutating func checkNumbers(of file: CardListFile, _ path: String) {
        guard let count = settings.desfire.count, settings.credentials.cardKinds.contains(.desfire) else { return }
        let odd = file.entries.filter { $0.evidence.kind == .desfire && $0.evidence.identity.count != count }
        guard let first = odd.first else { return }
        addWarning(
            "credentials.cards",
            "\(path): \(first.id.text)\(odd.count == 1 ? "" : " and \(odd.count - 1) more") will not open: a number has "
                + "\(first.evidence.identity.count) octets there, and desfire.count is \(count)")
    }

    private mutating func checkDESFireKeys() {
        guard settings.credentials.cardKinds.contains(.desfire) else { return }
        do throws(DESFireKeyFault) { _ = try settings.desfire.load() } catch { addFault(error.setting, error.text) }
    }

    /// The key that it certifies is in the state directory.
    private mutating func checkAliroCertificate() {
        guard settings.readsAliro, let path = settings.aliro.certificate else { return }
        do throws(ReaderdError) {
            _ = try AliroFiles.certificate(path, issuer: settings.aliro.certificateIssuer)
        } catch { addFault("aliro.certificate", "\(error)") }
    }
}
