#if NetworkDevices
    import Glibc
    import JSON
    import Devices
    import WiFiProvisioning
    import Synchronization

    /// Prints the lines of the device on standard output as they occur.
    struct SoftAPOutput: Sendable {
        let json: Bool

        /// Prints the device, and the certificate to trust.
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

        /// Prints an event of the device.
        func tell(_ notice: SoftAPNotice) { tell(notice.word, "\(notice)") }

        /// Prints another event.
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

    /// The reason why the program ends, passed from the event loop to the main thread.
    final class SoftAPFailure: Sendable {
        private let error = Mutex<EmulationError?>(nil)

        func put(_ error: EmulationError) { self.error.withLock { $0 = error } }
        func take() -> EmulationError? { error.withLock { $0 } }
    }
#endif
