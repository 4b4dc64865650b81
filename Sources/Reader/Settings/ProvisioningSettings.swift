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

extension SettingKey {
    /// The permitted lengths of a window in seconds, long enough to look up a passphrase.
    public static let provisioningWindows = 30...3600

    static let provisioning: [SettingKey] = [
        text(
            "provisioning.wifi", \.provisioning.wifi, takes: "text: wpa-supplicant:PATH",
            "The Wi-Fi that phones may bring into a network: the control socket of the wpa_supplicant that has it. Without it "
                + "there is no provisioning.",
            example: "wpa-supplicant:/run/wpa_supplicant/wlan0", check: SettingChecks.supplicant),
        integer(
            "provisioning.window-s", \.provisioning.windowSeconds, provisioningWindows,
            "How long phones may do so once the window is open. It closes by itself, and soon after a phone has named a network "
                + "that works."),
        text(
            "provisioning.button", \.provisioning.button, takes: "text: a line's name, or gpiochipN:LINE",
            "The line of the button that opens the window, an input. There is none where it is absent.",
            example: "PROVISION", check: SettingChecks.notEmpty),
        boolean(
            "provisioning.button-active-low", \.provisioning.buttonIsActiveLow,
            "Whether the button pulls the line down; the chip then pulls it up."),
        boolean(
            "provisioning.first-boot", \.provisioning.opensAtFirstBoot,
            "Whether the window opens by itself when the reader starts and wpa_supplicant knows no network. Whoever is near then "
                + "may name one."),
    ]
}

extension SettingChecks {
    /// Checks for `wpa-supplicant:` and the path of a socket.
    static func supplicant(_ text: String) -> String? {
        let prefix = ReaderSettings.Provisioning.supplicant
        guard text.hasPrefix(prefix + "/") else {
            return
                "\(SettingKey.quoted(text)) is not the socket of a supplicant, as wpa-supplicant:/run/wpa_supplicant/wlan0 is"
        }
        return socketPath(String(text.dropFirst(prefix.count)))
    }
}
