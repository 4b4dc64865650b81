// SPDX-License-Identifier: Apache-2.0

import OSDP
import Reader

/// An event at the panel's line, for the reader.
enum PanelEvent {
    /// The line is open; `isBack` after a loss.
    case opened(isBack: Bool)
    /// The line cannot be opened, or was lost; reported once.
    case lost(String)
    /// A notice of the device.
    case notice(OSDPNotice)
    /// The panel has the card of this credential.
    case cardReported(String)
    /// The card of this credential was dropped: the panel did not ask for it in time.
    case cardDropped(String)
    /// The panel has switched an output, from 0.
    case output(Int, isOn: Bool)
    /// The panel's signs on lights and buzzer have changed.
    case signs(PanelSigns)
    /// The panel asks; the answer is the next report.
    case question(PanelQuestion)
    /// The panel has set address and speed.
    case line(OSDPLine)
    /// A key or line of the panel could not be kept, with the reason; nil when one was kept.
    case unkept(String?)
    /// The key or line that the panel has set cannot be used; reported once, at the start.
    case damaged(String)
    /// A file for the updater is whole, or could not be kept.
    case update(PanelUpdate.Change)
    /// The installation window is open, for this number of seconds.
    case installing(Int)
    /// The panel has become silent, or has all rights again.
    case silence(Bool)
}

/// The states of the door that are reported to a panel.
struct PanelStates: Equatable {
    /// Input 1: the door is open.
    var isOpen = false
    /// Input 2: an exit is requested.
    var isExitRequested = false
    /// Input 3: fire.
    var isFire = false
    /// The tamper switch.
    var isTampered = false
    /// The door refuses the panel's order to unlock: a lockdown, or a tamper block.
    var isShut = false
    /// Bluetooth or NFC serves phones.
    var isServing = false
    /// Input 4: the lock is released. Output 1 too, where the panel's orders do not move the lock.
    var isUnlocked = false
    /// Output 1, where they do: the lock is released by the panel.
    var isUnlockedByPanel = false
}
