// SPDX-License-Identifier: Apache-2.0

import Octets

extension SettingKey {
    /// The permitted lengths of an installation window in seconds; 0 for no window.
    public static let installationWindows = 0...3600
    /// 16 MiB: at 230400 bit/s a quarter of an hour.
    private static let maximumFile = 16 << 20
    private static let speeds = [9600, 19200, 38400, 57600, 115_200, 230_400]

    static let osdp: [SettingKey] =
        osdpLine
        + cards(
            "osdp", \.osdp.cards.decisions, \.osdp.cards.format, facility: \.osdp.cards.facility,
            pattern: \.osdp.cards.pattern, fascN: \.osdp.cards.fascN, pkoc: \.osdp.cards.pkocBits,
            desfire: \.osdp.cards.desfireBits) + osdpOrders

    private static let osdpLine: [SettingKey] = [
        text(
            "osdp.line", \.osdp.line, takes: "text: the absolute path of a serial device",
            "The line to an access panel that speaks OSDP: docs/operate/osdp.md. Absent: none.", example: "/dev/ttyS2",
            check: SettingChecks.device),
        choice(
            "osdp.mode", \.osdp.mode,
            "The side that decides. \"report\": the reader, which reports to the panel. \"panel\": the reader verifies "
                + "the phone, hands its number on, and the panel's output 1 moves the lock."),
        integer(
            "osdp.address", \.osdp.address, 0...126,
            "The address on the line. An address set by the panel has precedence, with its speed."),
        integer(
            "osdp.speed", \.osdp.speed, 9600...230_400,
            "The speed in bit/s: 9600, 19200, 38400, 57600, 115200 or 230400.", among: speeds),
        boolean(
            "osdp.rs485", \.osdp.turnsLine,
            "The driver of the line sets RTS while it sends (TIOCSRS485). Not needed by adapters that turn the line by "
                + "themselves."),
        boolean(
            "osdp.allow-clear", \.osdp.allowsClear,
            "Executes commands in clear until a key is set: any device on the line can act as the panel. For a bench only."
        ),
        integer(
            "osdp.install-s", \.osdp.installSeconds, installationWindows,
            "Without a key, takes one from the panel for so many seconds after the start, under the published default "
                + "key. 0: only after readerd osdp install."),
        text(
            "osdp.vendor", \.osdp.vendor, takes: "text: six hexadecimal digits",
            "The vendor code that is reported to the panel.", check: SettingChecks.vendorCode),
    ]

    private static let osdpOrders: [SettingKey] = [
        boolean(
            "osdp.outputs-move-lock", \.osdp.outputsMoveLock,
            "In mode \"report\", lets the panel's output 1 unlock the door as well."),
        integer(
            "osdp.file-limit", \.osdp.fileLimit, 0...maximumFile,
            "The maximum size in octets of a file that the panel sends for updater.command, in a session under the "
                + "key. 0: no file is accepted."),
        choice(
            "osdp.when-silent", \.osdp.whenSilent,
            "In mode \"panel\", the handling of phones while the panel is silent: refused, or decided by the reader."),
    ]
}

extension SettingChecks {
    /// Checks for the absolute path of a device.
    static func device(_ text: String) -> String? {
        if text.utf8.contains(0) { return "has a zero octet" }
        return text.hasPrefix("/") && !text.hasSuffix("/") ? nil : "\(SettingKey.quoted(text)) is not an absolute path"
    }

    /// Checks for an IEEE organisation identifier.
    static func vendorCode(_ text: String) -> String? {
        Hexadecimal.octets(text)?.count == 3 ? nil : "\(SettingKey.quoted(text)) is not six hexadecimal digits"
    }
}

extension DecodedSettings {
    /// Finds contradictions in `[osdp]`.
    mutating func checkOSDP() {
        let osdp = settings.osdp
        checkCards("osdp", osdp.cards)
        guard osdp.line != nil, isWritten("osdp.line") else { return }
        if osdp.fileLimit > 0, settings.updater.command.isEmpty, areSound(["osdp.file-limit", "updater.command"]) {
            report(
                .fault, "osdp.file-limit",
                "needs updater.command: the program that the file is for; name one, or remove the limit")
        }
        if osdp.allowsClear {
            report(
                .warning, "osdp.allow-clear",
                "until a key is set, any device on the line can act as the panel: set a key with readerd osdp install")
        }
    }
}
