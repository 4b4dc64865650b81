// SPDX-License-Identifier: Apache-2.0

extension ReaderSettings {
    /// `[provisioning]`: the Wi-Fi provisioning of the reader by phones, in a time window.
    public struct Provisioning: Equatable, Sendable {
        /// `wifi`; nil for no provisioning.
        public var wifi: String?
        /// `window-s`
        public var windowSeconds = 300
        /// `button`
        public var button: String?
        /// `button-active-low`
        public var buttonIsActiveLow = true
        /// `first-boot`
        public var opensAtFirstBoot = false

        /// The prefix of the path in `wifi`.
        static let supplicant = "wpa-supplicant:"

        /// The path of wpa_supplicant's control socket; nil for no provisioning.
        public var supplicantSocket: String? {
            wifi.map { String($0.dropFirst(Provisioning.supplicant.count)) }
        }
    }
}
