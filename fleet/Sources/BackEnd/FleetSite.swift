// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Fleet
import FoundationEssentials

/// The readers whose events a collector receives: their names, and the keys that sign their events.
public struct FleetSite {
    /// A reader.
    public struct Reader {
        /// The display name.
        public var name: String
        /// The terminal key's public half.
        public var key: P256PublicKey

        /// A reader.
        public init(name: String, key: P256PublicKey) {
            self.name = name
            self.key = key
        }
    }

    /// The readers, by their identifier in topics.
    let readers: [String: Reader]

    /// The provisioned readers of a site file.
    init(_ site: SiteFile, path: String) throws(CredentialError) {
        var readers: [String: Reader] = [:]
        for entry in site.readers {
            guard let id = entry.deviceID, let text = entry.terminalPublicKey else { continue }
            guard let der = Data(base64Encoded: text).map(Array.init) else {
                throw CredentialError("\(path): the terminal-public-key of \(entry.name) is no base64")
            }
            do throws(CryptoError) {
                readers[FleetTopics(deviceID: id).device] = Reader(
                    name: entry.name, key: try P256PublicKey(subjectPublicKeyInfo: der.span))
            } catch {
                throw CredentialError("\(path): the terminal-public-key of \(entry.name) is no key on P-256")
            }
        }
        guard !readers.isEmpty else {
            throw CredentialError("\(path): no reader of it is provisioned; see: readerlab credentials reader add")
        }
        self.readers = readers
    }

    /// The identifier in topics of the reader that `text` names: by name, device identifier, or that identifier.
    func device(of text: String) throws(CredentialError) -> String {
        let found = readers.filter { device, reader in
            device == text || reader.name == text || device == FleetTopics(deviceID: text).device
        }.map(\.key)
        guard let device = found.first else {
            throw CredentialError("\(text): there is no such provisioned reader at this site")
        }
        guard found.count == 1 else {
            throw CredentialError("\(text): is the name of several readers; write the identifier in topics")
        }
        return device
    }
}
