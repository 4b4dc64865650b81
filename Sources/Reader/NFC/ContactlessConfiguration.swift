/// What a phone finds when it touches the reader.
public struct ContactlessConfiguration: Equatable, Sendable {
    /// The access application.
    public var application = ApplicationID.access
    /// What a phone without the app reads; empty for none.
    public var message: [UInt8] = []
    /// The reader's id, as it advertises it.
    public var deviceID = ""

    /// The default application, and nothing for phones without the app.
    public init() {}

    /// How long a command waits for its answer before the phone is told to poll. The phone gives the chip 155 ms (frame
    /// waiting integer 9), and this host cannot ask it for more.
    public static let patience: Duration = .milliseconds(100)
}
