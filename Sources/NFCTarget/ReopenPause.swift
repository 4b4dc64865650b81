/// How long to leave a chip alone that did not do as it should: a little longer each time, and little again once it has
/// worked for a while.
struct ReopenPause {
    /// The first pause.
    static let first = Duration.milliseconds(500)
    /// The longest: a chip that was gone for however long is found again within this time and the opening.
    static let longest = Duration.seconds(10)

    private var next = ReopenPause.first

    /// The chip did what it should.
    mutating func worked() { next = ReopenPause.first }

    /// How long to wait before the next attempt.
    mutating func failed() -> Duration {
        defer { next = min(next * 2, ReopenPause.longest) }
        return next
    }
}
