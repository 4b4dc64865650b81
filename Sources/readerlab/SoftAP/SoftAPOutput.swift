#if SoftAP
    import Glibc
    import JSON
    import Provisioning
    import Synchronization

    /// The lines of the device as they come, on standard output.
    struct SoftAPOutput: Sendable {
        let json: Bool

        /// What is played, and what an app has to trust.
        func begin(address: String, profile: NordicProfile, _ files: SoftAPCertificateFiles) {
            var object = JSONObject()
            object.add("event", "device")
            object.add("address", address)
            object.add("profile", profile.rawValue)
            object.add("certificate", files.path)
            object.add("sha256", files.fingerprint)
            show(
                object,
                "\(profile.rawValue) at https://\(address), certificate \(files.path), SHA-256 \(files.fingerprint)")
        }

        /// What happened.
        func tell(_ notice: SoftAPNotice) { tell(notice.word, "\(notice)") }

        /// What else happened.
        func tell(_ event: String, _ text: String) {
            var object = JSONObject()
            object.add("event", event)
            object.add("text", text)
            show(object, text)
        }

        private func show(_ object: JSONObject, _ text: String) {
            EmulationOutput.write(json ? object.text : text, to: STDOUT_FILENO)
        }
    }

    /// Why the program ends, handed from the event loop to the main thread.
    final class SoftAPFailure: Sendable {
        private let error = Mutex<EmulationError?>(nil)

        func put(_ error: EmulationError) { self.error.withLock { $0 = error } }
        func take() -> EmulationError? { error.withLock { $0 } }
    }

    /// The file of `--wifi-sim`.
    enum SoftAPSimulation {
        /// The simulation in the file at `path`, or one that is made up.
        static func load(_ path: String?) throws(EmulationError) -> WiFiSimulation {
            guard let path else { return usual }
            guard let file = fopen(path, "r") else {
                throw EmulationError(
                    code: 2, "\(path): cannot open it: \(String(cString: strerror(errno))); name a simulation file")
            }
            defer { fclose(file) }
            var octets = [UInt8](repeating: 0, count: WiFiSimulation.maximumFileCount + 1)
            let count = fread(&octets, 1, octets.count, file)
            guard ferror(file) == 0 else {
                throw EmulationError(code: 2, "\(path): cannot read it; name a simulation file")
            }
            octets.removeLast(octets.count - count)
            do throws(JSONPlaceFault) {
                return try WiFiSimulation(json: octets)
            } catch {
                throw EmulationError(code: 2, "\(path):\(error)")
            }
        }

        /// Four networks, one of each kind.
        private static var usual: WiFiSimulation {
            func accessPoint(
                _ name: String, _ last: UInt8, _ band: WiFiBand, _ channel: UInt32, _ security: WiFiSecurity, _ rssi: Int8
            ) -> WiFiSimulation.AccessPoint? {
                WiFiName(name).map {
                    WiFiSimulation.AccessPoint(
                        WiFiNetwork(
                            name: $0, address: WiFiAddress(0x02, 0, 0, 0, 0, last), band: band, channel: channel,
                            security: security, rssi: rssi),
                        passphrase: security == .open ? nil : WiFiPassphrase(Array("correct horse".utf8)))
                }
            }
            return WiFiSimulation(
                accessPoints: [
                    accessPoint("Home", 1, .band2GHz, 6, .wpaWPA2PSK, -50),
                    accessPoint("Home 5G", 2, .band5GHz, 36, .wpa2PSK, -60),
                    accessPoint("Office", 3, .band5GHz, 149, .wpa3PSK, -70),
                    accessPoint("Guest", 4, .band2GHz, 1, .open, -65),
                ].compactMap(\.self))
        }
    }
#endif
