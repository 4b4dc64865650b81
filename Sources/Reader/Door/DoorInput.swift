/// An input of a door.
public enum DoorInput: String, CaseIterable, Hashable, Sendable {
    /// The door's contact; active while the door stands open.
    case contact
    /// The exit button or motion sensor.
    case exit = "rex"
    /// The building's fire alarm.
    case fire
    /// The housing's contact; active while it is open.
    case tamper
}
