/// Why a run ended before its end; one line for the person who can act.
public enum LoadFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The command could not be started: the errno as text.
    case cannotStart(String, why: String)
    /// The socket could not be made: the errno as text.
    case cannotListen(why: String)
    /// The host has ended; its exit status or signal, in words.
    case hostEnded(String)
    /// The host did not connect.
    case neverConnected(seconds: Int)
    /// The host connected and did not advertise, or not often enough for all phones.
    case neverAdvertised(links: Int, of: Int)
    /// The host has closed the connection.
    case connectionClosed
    /// What came is no sequence of HCI packets.
    case outOfStep(String)
    /// The socket failed: the errno as text.
    case socketFailed(why: String)
    /// A characteristic of the table is missing.
    case missing(String)
    /// A reader did otherwise than it should at the door; in words.
    case door(String)
    /// The host has stopped answering.
    case silent(during: String, seconds: Int)
    /// The test's time was over, and the host was still sending.
    case tooSlow(during: String)
    /// The host has ended a link.
    case linkEnded(during: String)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .cannotStart(let program, let why): "cannot start \(program): \(why); check the command after --"
        case .cannotListen(let why): "cannot wait for the host: \(why); set TMPDIR to a folder that can be written"
        case .hostEnded(let how): "the host has ended (\(how)); see what it wrote, and try its command alone"
        case .neverConnected(let seconds):
            "the host did not connect within \(seconds) s; check that it takes {hci} as the transport's name"
        case .neverAdvertised(let links, let wanted):
            "the host let \(links) of \(wanted) phones connect; it has to go on advertising while connected, or use "
                + "fewer phones (-k)"
        case .connectionClosed: "the host has closed the connection; see what it wrote"
        case .outOfStep(let why): "what the host sends is not HCI: \(why); it has to speak H4"
        case .socketFailed(let why): "the connection to the host failed: \(why)"
        case .missing(let what): "the host's table has no \(what); see `readerlab bench host --help` for the table"
        case .door(let what):
            "\(what); the reader needs the demo identity, gpio.lock, no gate and re-arm-ms of 3 at most"
        case .silent(let test, let seconds): "during \(test) the host answered nothing for \(seconds) s"
        case .tooSlow(let test): "\(test) takes too long; use fewer operations (-n), or more --seconds"
        case .linkEnded(let test): "during \(test) the host ended a link"
        }
    }
}
