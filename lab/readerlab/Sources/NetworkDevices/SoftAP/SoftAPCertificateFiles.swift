// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import Console
    import Crypto
    import Octets
    import System
    import FoundationEssentials
    import Glibc
    import NIOSSL
    import Devices

    /// The device's certificate and key, generated and stored here or supplied by the user.
    struct SoftAPCertificateFiles {
        let certificate: NIOSSLCertificate
        let key: NIOSSLPrivateKey
        /// The certificate file that an app has to trust.
        let path: String
        /// The SHA-256 of the certificate in 64 hexadecimal digits.
        let fingerprint: String

        /// Loads the certificate and the key from PEM files.
        init(certificate path: String, key keyPath: String) throws(CommandError) {
            guard let first = (try? NIOSSLCertificate.fromPEMFile(path))?.first else {
                throw .failed("\(path): cannot read a certificate from it; give a PEM file")
            }
            guard let read = try? NIOSSLPrivateKey(file: keyPath, format: .pem) else {
                throw .failed("\(keyPath): cannot read a key from it; give a PEM file without a passphrase")
            }
            certificate = first
            key = read
            self.path = path
            fingerprint = try SoftAPCertificateFiles.fingerprint(of: certificate)
        }

        /// Loads the files in a directory, and generates missing ones: `softap-certificate.pem`, and
        /// `softap-key.pem`, mode 0600.
        init(directory: String, host: String) throws(CommandError) {
            let path = "\(directory)/softap-certificate.pem", keyPath = "\(directory)/softap-key.pem"
            if access(path, F_OK) != 0 || access(keyPath, F_OK) != 0 {
                try SoftAPCertificateFiles.make(path, keyPath, directory: directory, host: host)
            }
            try self.init(certificate: path, key: keyPath)
        }

        /// `$XDG_STATE_HOME/readerlab`, or its default.
        static var usualDirectory: String {
            if let state = getenv("XDG_STATE_HOME"), state.pointee != 0 { return String(cString: state) + "/readerlab" }
            let home = getenv("HOME").map { String(cString: $0) } ?? "."
            return home + "/.local/state/readerlab"
        }

        private static func make(
            _ path: String, _ keyPath: String, directory: String, host: String
        ) throws(CommandError) {
            try makeDirectory(directory)
            let made = try freshPair(host: host)
            do throws(DurableFile.Failure) {
                try DurableFile.replace(keyPath, with: made.key)
                try DurableFile.replace(path, with: made.certificate)
            } catch {
                throw .failed(
                    "\(error.path): \(String(cString: strerror(error.errno))); give a directory that can be written by "
                        + "--state")
            }
        }

        /// Generates a key and its certificate, PEM.
        private static func freshPair(host: String) throws(CommandError) -> (key: [UInt8], certificate: [UInt8]) {
            do throws(CryptoError) {
                var random = SystemRandomSource()
                let key = try P256PrivateKey.generate()
                let made = try SelfSignedCertificate(
                    host: host, key: key, serial: random.octets(16), epochSeconds: Int64(time(nil)))
                return (try key.pem(), pem(made.der))
            } catch {
                throw .failed("cannot make a certificate: \(error)")
            }
        }

        private static func makeDirectory(_ path: String) throws(CommandError) {
            guard access(path, F_OK) != 0 else { return }
            let parent = DurableFile.directory(of: path)
            if parent != path, parent != "." { try makeDirectory(parent) }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw .failed(
                    "\(path): \(String(cString: strerror(errno))); name a directory that can be made, with --state")
            }
        }

        private static func pem(_ der: [UInt8]) -> [UInt8] {
            let text = Data(der).base64EncodedString()
            var lines = ["-----BEGIN CERTIFICATE-----"]
            var rest = text[...]
            while !rest.isEmpty {
                lines.append(String(rest.prefix(64)))
                rest = rest.dropFirst(64)
            }
            return Array((lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n").utf8)
        }

        private static func fingerprint(of certificate: NIOSSLCertificate) throws(CommandError) -> String {
            let unreadable = CommandError.failed("cannot read the certificate again")
            guard let octets = try? certificate.toDERBytes(), let digest = try? SHA256.hash(octets.span) else {
                throw unreadable
            }
            return Hexadecimal.text(digest.indices.lazy.map { digest[$0] })
        }

        /// The TLS configuration of the server: TLS 1.2 only with `exact`, as in the firmware, otherwise 1.2 and
        /// later.
        func context(isExact: Bool) throws(CommandError) -> NIOSSLContext {
            var settings = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
            settings.minimumTLSVersion = .tlsv12
            settings.maximumTLSVersion = isExact ? .tlsv12 : nil
            settings.shutdownTimeout = SoftAPServer.goodbyeTime
            guard let context = try? NIOSSLContext(configuration: settings) else {
                throw .failed("\(path): the certificate and the key do not belong together")
            }
            return context
        }
    }
#endif
