// SPDX-License-Identifier: Apache-2.0

public import Reader

extension SettingKey {
    static let lights: [SettingKey] = DoorSign.allCases.map { sign in
        let (light, panel) = (sign.standingLight, sign.lightWithPanel)
        let other = light == panel ? "" : ", with an access panel \(quoted(panel.rawValue))"
        return choice(
            "lights.\(sign.rawValue)", \.lights[sign],
            "The light \(meaning(sign)) Absent: \(quoted(light.rawValue))\(other).", example: light,
            implied: { $0.impliedLight(of: sign) })
    }

    private static func meaning(_ sign: DoorSign) -> String {
        switch sign {
        case .locked: "while the door is locked."
        case .open: "while the door is open for now: a pulse, an exit."
        case .heldOpen: "while the door is open until its cause ends: extended time, office mode, hours, a panel, fire."
        case .lockdown: "during a lockdown, or a block after the housing was opened."
        case .fault:
            "while the door is locked and the reader has a fault that keeps people out, in or off the record, or its "
                + "lock cannot be set."
        }
    }
}

extension ReaderSettings {
    /// True if an access panel drives the lights, or moves a lock that the reader does not observe.
    private var panelHasLights: Bool { osdp.line != nil || panelDecides != nil }

    /// The light of a sign that is not written.
    func impliedLight(of sign: DoorSign) -> SignLight { panelHasLights ? sign.lightWithPanel : sign.standingLight }

    /// The light of a sign. A green light without a red one would show amber as an open door, and stays off.
    private func light(of sign: DoorSign) -> SignLight {
        let light = lights[sign] ?? impliedLight(of: sign)
        return light.hasGreen && light.hasRed && hasGreenLightAlone ? .off : light
    }

    fileprivate var hasGreenLightAlone: Bool {
        gpio.lines[.grantedIndicator] != nil && gpio.lines[.deniedIndicator] == nil
    }

    /// The configuration of the door's state machine, with the signs of its lights.
    public var doorConfiguration: DoorConfiguration {
        var configuration = door.configuration
        configuration.signals.signs = DoorSignals.signs(light)
        return configuration
    }
}

extension DecodedSettings {
    /// Finds signs that the lights of the board cannot show.
    mutating func checkLights() {
        guard areSound(["gpio.led-granted", "gpio.led-denied"]), settings.hasGreenLightAlone else { return }
        for sign in DoorSign.allCases {
            guard let light = settings.lights[sign], light.hasGreen, light.hasRed else { continue }
            report(
                .warning, "lights.\(sign.rawValue)",
                "\(SettingKey.quoted(light.rawValue)) is shown as \"off\": it needs gpio.led-denied with "
                    + "gpio.led-granted")
        }
    }
}
