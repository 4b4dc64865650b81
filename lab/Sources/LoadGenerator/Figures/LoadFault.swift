// SPDX-License-Identifier: Apache-2.0

/// The reason why a run ended early, as one line for the user.
public enum LoadFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The command could not be started; the text of the errno.
    case cannotStart(String, why: String)
    /// The socket could not be created; the text of the errno.
    case cannotListen(why: String)
    /// The host has ended; its exit status or signal.
    case hostEnded(String)
    /// The host did not connect.
    case neverConnected(seconds: Int)
    /// The host connected but did not advertise, or not often enough for all phones.
    case neverAdvertised(links: Int, of: Int)
    /// The host has closed the connection.
    case connectionClosed
    /// The host's octets are not a sequence of HCI packets.
    case outOfStep(String)
    /// The socket failed; the text of the errno.
    case socketFailed(why: String)
    /// A characteristic of the table is missing.
    case missing(String)
    /// A reader misbehaved at the door; a description.
    case door(String)
    /// The host has stopped answering.
    case silent(during: String, seconds: Int)
    /// The test's time was over while the host was still sending.
    case tooSlow(during: String)
    /// The host has ended a link.
    case linkEnded(during: String)

    /// The fault and the remedy.
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
