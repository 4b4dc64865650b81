// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import JSON
import Logging
import Octets
import Reader

/// The site's key of PKOC phones over Bluetooth LE. Without it those that require it are refused.
final class ReaderPKOC: ReaderService {
    unowned let process: ReaderProcess
    private let state: StateDirectory

    init(_ process: ReaderProcess, state: StateDirectory) { (self.process, self.state) = (process, state) }

    func start() { load() }

    func reconfigured(from former: ReaderSettings) { load() }

    private var isAdvertised: Bool { settings.advertising.modes.contains(.pkoc) }

    /// Loads the key while the mode is advertised, and makes it if there is none. Without the mode nothing needs it.
    private func load() {
        guard isAdvertised else {
            process.device.reader.pkocSite = nil
            return clear(.pkocUnusable)
        }
        guard process.device.reader.pkocSite == nil else { return }
        do throws(ReaderdError) {
            let key =
                if let key = try StoredKey.pkocSite.load(from: state) { key } else {
                    try StoredKey.pkocSite.make(in: state)
                }
            process.device.reader.pkocSite = key
            log.notice("pkoc: site key \(Self.text(key.publicKey))")
            clear(.pkocUnusable)
        } catch {
            raise(.pkocUnusable, "pkoc: \(error); phones that require the site's key are refused; then restart")
        }
    }

    /// A public key as it is shown.
    static func text(_ key: P256PublicKey) -> String {
        Hexadecimal.text(key.point.octets.indices.map { key.point.octets[$0] })
    }

    var status: (name: String, report: JSONObject)? {
        guard isAdvertised else { return nil }
        guard let key = process.device.reader.pkocSite else { return ("pkoc", ["state": "unusable"]) }
        return ("pkoc", ["state": "ready", "site-key": Self.text(key.publicKey)])
    }
}
