// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader

/// The usable part of an identity. A damaged file does not end the reader: the door, its operators and its panel go on,
/// and only phones that the damaged part concerns are refused.
struct UsableIdentity {
    /// The identity, with a stand-in for each damaged file.
    var identity: ReaderIdentity
    /// The site and door; nil if the identity names none.
    var door: ProvisionedDoor?
    /// The damage of each file, in one line.
    var damage: [IdentityFiles.File: String] = [:]
    /// The files with a stand-in.
    var standIns: Set<IdentityFiles.File> = []

    /// The keys in use, without stand-ins: these would retire the keys of the restored files.
    var keys: [KeyHistory.Key] {
        get throws(CryptoError) {
            let missing = Set(standIns.map(\.rawValue))
            return try identity.keys.filter { !missing.contains($0.use.file) }
        }
    }

    /// False if no phone can be served: without the reader's id, private key, site or door, or without any public key
    /// of the backend.
    var servesPhones: Bool {
        let needed: Set<IdentityFiles.File> = [.deviceID, .terminalKey, .door]
        return needed.isDisjoint(with: damage.keys)
            && (damage[.signatureKey] == nil || identity.retiringSignatureKey != nil)
    }

    /// False if a fleet would not know the reader: without its id or private key.
    var isKnownToFleet: Bool { damage[.deviceID] == nil && damage[.terminalKey] == nil }

    /// The damage and its consequence for the fault `identity-damaged`, in one line; nil for a whole identity.
    var fault: String? {
        let findings = IdentityFiles.File.allCases.compactMap { damage[$0] }
        guard !findings.isEmpty else { return nil }
        let consequence = servesPhones ? "it is not used" : "no phone is served"
        return "\(findings.joined(separator: "; ")); \(consequence): restore the file from a backup, or provision the "
            + "reader again, and restart"
    }

    /// Loads the identity from `state`.
    ///
    /// - Throws: An error for an identity that lacks files, or that other users may change.
    static func load(from state: StateDirectory) throws(ReaderdError) -> UsableIdentity {
        let place: StateDirectory
        do throws(ReaderdError) { place = try IdentityDirectory.current(in: state) } catch {
            guard error.damaged != nil else { throw error }
            let standIn = try IdentityFiles.StandIn(for: Set(IdentityFiles.File.necessary))
            let identity = try IdentityFiles.load([:], from: state, of: state, standIn)
            return UsableIdentity(
                identity: identity, damage: [.deviceID: error.description],
                standIns: Set(IdentityFiles.File.necessary))
        }
        var damage: [IdentityFiles.File: String] = [:]
        // Each attempt leaves out one file more.
        while true {
            do throws(ReaderdError) {
                let damaged = Set(damage.keys)
                let standIn = damaged.isEmpty ? nil : try IdentityFiles.StandIn(for: damaged)
                let contents = try IdentityFiles.read(place, without: damaged)
                let identity = try IdentityFiles.load(contents, from: place, of: state, standIn)
                let door = damaged.contains(.door) ? nil : try ProvisionedDoor.load(from: state)
                return UsableIdentity(identity: identity, door: door, damage: damage, standIns: damaged)
            } catch {
                guard let file = IdentityFiles.File.allCases.first(where: { place.file($0.rawValue) == error.damaged }),
                    damage.updateValue(error.description, forKey: file) == nil
                else { throw error }
            }
        }
    }
}

extension IdentityFiles {
    /// Values for damaged files: an id that no reader has, and keys that exist until the end of the process. Nothing
    /// is valid under them.
    struct StandIn {
        /// The damaged files.
        let files: Set<File>
        let deviceID = String(repeating: "-", count: ReaderIdentity.deviceIDCount)
        let terminalKey: any HeldPrivateKey
        let signatureKey: P256PublicKey

        init(for files: Set<File>) throws(ReaderdError) {
            self.files = files
            do throws(CryptoError) {
                terminalKey = try P256PrivateKey.generate()
                signatureKey = try P256PrivateKey.generate().publicKey
            } catch {
                throw .failed("libcrypto cannot generate a key: install a libcrypto with P-256")
            }
        }
    }
}
