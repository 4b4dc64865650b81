// SPDX-License-Identifier: Apache-2.0

extension SettingKey {
    /// The permitted lengths of a window in seconds, long enough to look up a passphrase.
    public static let provisioningWindows = 30...3600

    static let provisioning: [SettingKey] = [
        text(
            "provisioning.wifi", \.provisioning.wifi, takes: "text: wpa-supplicant:PATH",
            "The Wi-Fi interface to provision: the control socket of its wpa_supplicant. Absent: no provisioning.",
            example: "wpa-supplicant:/run/wpa_supplicant/wlan0", check: SettingChecks.supplicant),
        integer(
            "provisioning.window-s", \.provisioning.windowSeconds, provisioningWindows,
            "The duration of a provisioning window. It also closes soon after a network was joined."),
        text(
            "provisioning.button", \.provisioning.button, takes: "text: a line's name, or gpiochipN:LINE",
            "The line of the button that opens the window, an input. Absent: none.",
            example: "PROVISION", check: SettingChecks.notEmpty),
        boolean(
            "provisioning.button-active-low", \.provisioning.buttonIsActiveLow,
            "The button pulls the line low; the chip's pull-up is enabled."),
        boolean(
            "provisioning.first-boot", \.provisioning.opensAtFirstBoot,
            "Opens the window at a start without a network in wpa_supplicant. Any phone nearby may then provision "
                + "one."),
    ]
}

extension SettingChecks {
    /// Checks for `wpa-supplicant:` and the path of a socket.
    static func supplicant(_ text: String) -> String? {
        let prefix = ReaderSettings.Provisioning.supplicant
        guard text.hasPrefix(prefix + "/") else {
            return
                "\(SettingKey.quoted(text)) is not a supplicant's socket: needs a text such as "
                + "wpa-supplicant:/run/wpa_supplicant/wlan0"
        }
        return socketPath(String(text.dropFirst(prefix.count)))
    }
}
