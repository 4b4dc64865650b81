// SPDX-License-Identifier: Apache-2.0

/// An input of a door.
public enum DoorInput: String, CaseIterable, Hashable, Sendable {
    /// The door contact; active while the door is open.
    case contact
    /// The exit button or motion sensor.
    case exit = "rex"
    /// The building's fire alarm.
    case fire
    /// The tamper contact; active while the housing is open.
    case tamper
}
