#if SoftAP
    import Crypto
    import DurableFile
    import FoundationEssentials
    import Glibc
    import NIOSSL
    import Provisioning

    /// The device's certificate and key: made here and kept, or somebody's own.
    struct SoftAPCertificateFiles {
        let certificate: NIOSSLCertificate
        let key: NIOSSLPrivateKey
        /// The file that an app has to trust.
        let path: String
        /// SHA-256 of the certificate, as 64 digits.
        let fingerprint: String

        /// Those at two paths, PEM.
        init(certificate path: String, key keyPath: String) throws(EmulationError) {
            do {
                guard let first = try NIOSSLCertificate.fromPEMFile(path).first else {
                    throw EmulationError(code: 1, "\(path): there is no certificate in it; give a PEM file")
                }
                certificate = first
            } catch let error as EmulationError {
                throw error
            } catch {
                throw EmulationError(code: 1, "\(path): cannot read a certificate from it; give a PEM file")
            }
            do {
                key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
            } catch {
                throw EmulationError(
                    code: 1, "\(keyPath): cannot read a key from it; give a PEM file without a passphrase")
            }
            self.path = path
            fingerprint = try SoftAPCertificateFiles.fingerprint(of: certificate)
        }

        /// Those in a directory, made if there are none: `softap-certificate.pem`, and `softap-key.pem`, mode 0600.
        init(directory: String, host: String) throws(EmulationError) {
            let path = "\(directory)/softap-certificate.pem", keyPath = "\(directory)/softap-key.pem"
            if access(path, F_OK) != 0 || access(keyPath, F_OK) != 0 {
                try SoftAPCertificateFiles.make(path, keyPath, directory: directory, host: host)
            }
            try self.init(certificate: path, key: keyPath)
        }

        /// `$XDG_STATE_HOME/readerlab`, and where that is by default.
        static var usualDirectory: String {
            if let state = getenv("XDG_STATE_HOME"), state.pointee != 0 { return String(cString: state) + "/readerlab" }
            let home = getenv("HOME").map { String(cString: $0) } ?? "."
            return home + "/.local/state/readerlab"
        }

        private static func make(
            _ path: String, _ keyPath: String, directory: String, host: String
        ) throws(EmulationError) {
            do {
                try makeDirectory(directory)
                var random = SystemRandomSource()
                let key = try P256PrivateKey.generate()
                let made = try SelfSignedCertificate(
                    host: host, key: key, epochSeconds: Int64(time(nil)), &random)
                try DurableFile.replace(keyPath, with: key.pem())
                try DurableFile.replace(path, with: pem(made.der))
            } catch let error as EmulationError {
                throw error
            } catch let error as DurableFile.Failure {
                throw EmulationError(
                    code: 1,
                    "\(error.path): \(String(cString: strerror(error.errno))); give a directory that can be written by "
                        + "--state")
            } catch {
                throw EmulationError(code: 1, "cannot make a certificate: \(error)")
            }
        }

        private static func makeDirectory(_ path: String) throws(EmulationError) {
            guard access(path, F_OK) != 0 else { return }
            let parent = DurableFile.directory(of: path)
            if parent != path, parent != "." { try makeDirectory(parent) }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw EmulationError(
                    code: 1,
                    "\(path): \(String(cString: strerror(errno))); give a directory that can be made by --state")
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

        private static func fingerprint(of certificate: NIOSSLCertificate) throws(EmulationError) -> String {
            do {
                let digest = try SHA256.hash(certificate.toDERBytes().span)
                return (0..<32).map { (digest[$0] < 16 ? "0" : "") + String(digest[$0], radix: 16) }.joined()
            } catch {
                throw EmulationError(code: 1, "cannot read the certificate again: \(error)")
            }
        }

        /// What the server's TLS is made of: 1.2 alone as the firmware's, or whatever is good today.
        func context(isExact: Bool) throws(EmulationError) -> NIOSSLContext {
            var settings = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
            settings.minimumTLSVersion = .tlsv12
            settings.maximumTLSVersion = isExact ? .tlsv12 : nil
            settings.shutdownTimeout = SoftAPServer.goodbyeTime
            do {
                return try NIOSSLContext(configuration: settings)
            } catch {
                throw EmulationError(code: 1, "\(path): the certificate and the key do not belong together")
            }
        }
    }
#endif
