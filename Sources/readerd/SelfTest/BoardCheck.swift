// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The checks that only a board's hardware can answer, in the order in which `readerd self-test --board` asks them.
enum BoardCheck: String, CaseIterable {
    /// The relay, and the lock on it.
    case relay
    /// The light of a grant.
    case greenLight = "led-granted"
    /// The light of a refusal.
    case redLight = "led-denied"
    /// The buzzer.
    case buzzer
    /// The door's contact.
    case contact
    /// The button to get out.
    case exit = "rex"
    /// The card that the reader plays for a phone's NFC.
    case card = "nfc"
    /// A phone over Bluetooth.
    case phone

    /// True if the part is configured; a phone needs no more than the controller.
    func isConfigured(_ settings: ReaderSettings) -> Bool {
        switch self {
        case .relay: settings.gpio.lines[.lock] != nil
        case .greenLight: settings.gpio.lines[.grantedIndicator] != nil
        case .redLight: settings.gpio.lines[.deniedIndicator] != nil
        case .buzzer: settings.gpio.lines[.buzzer] != nil
        case .contact: settings.gpio.lines[.contact] != nil
        case .exit: settings.gpio.lines[.requestToExit] != nil
        case .card: settings.nfc.connection != nil
        case .phone: true
        }
    }

    /// True if the door is opened for it, by the running reader.
    var opensTheDoor: Bool {
        switch self {
        case .relay, .greenLight, .buzzer: true
        case .redLight, .contact, .exit, .card, .phone: false
        }
    }

    /// The action of the person; nil where the reader acts.
    var instruction: String? {
        switch self {
        case .relay, .greenLight, .buzzer: nil
        case .redLight: "Have a phone without a credential ask, or run elsewhere: readerd lockdown on, and then off."
        case .contact: "Open the door, and close it; readerd status in another terminal shows it."
        case .exit: "Press the button to get out."
        case .card: "Hold a phone with a credential to the reader, with Bluetooth off."
        case .phone: "Walk up with a phone that has a credential, with NFC off."
        }
    }

    /// The question, to be answered with yes or no.
    var question: String {
        switch self {
        case .relay: "Did the relay click twice, and was the lock free in between?"
        case .greenLight: "Was the green light on while the lock was free?"
        case .redLight: "Was the red light on?"
        case .buzzer: "Did the buzzer sound?"
        case .contact: "Did the status follow the door both times?"
        case .exit: "Was the lock free?"
        case .card: "Was the lock free?"
        case .phone: "Was the lock free?"
        }
    }
}

/// The result of one check.
enum BoardResult: String {
    /// The person has seen that it works.
    case shown
    /// The person has seen that it does not.
    case failed
    /// No answer was given: it may work or not.
    case notShown = "not-shown"
    /// The part is not configured.
    case notConfigured = "not-configured"

    /// The result in the table.
    var word: String { rawValue.split(separator: "-").joined(separator: " ") }
}
