import CGPIO

/// What the kernel tells of a line without its being taken: looking changes neither its level nor its direction.
public struct LineState: Equatable, Sendable {
    /// Whether a process or a driver of the kernel holds the line.
    public var isHeld: Bool
    /// Who holds it, as it calls itself; "something" if it does not say.
    public var holder: String

    /// Asks the kernel about the line.
    public init(of reference: LineReference) throws(GPIOError) {
        var place = try OutputLine.locate(reference)
        var state = readerd_gpio_state()
        var errno: Int32 = 0
        let outcome = readerd_gpio_look(&place, &state, &errno)
        guard outcome == READERD_GPIO_OK else { throw OutputLine.error(outcome, errno, .find, reference) }
        isHeld = state.is_held
        let name = withUnsafeBytes(of: &state.holder) { octets in
            String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
        }
        holder = name.isEmpty ? "something" : name
    }
}
