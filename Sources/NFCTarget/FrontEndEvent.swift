/// What a front end tells.
public enum FrontEndEvent: Equatable, Sendable {
    /// The chip is there, and listens. What libnfc calls it.
    case opened(String)
    /// The chip is not there, or does not do as it should; it is tried again, with pauses. Why, in one line.
    case failed(String)
    /// A phone has activated the card. Nothing of the phone before counts.
    case activated
    /// A command of the phone, to be answered with this number.
    case command([UInt8], number: UInt64)
    /// The phone has let go, or left the field.
    case released
}
