// SPDX-License-Identifier: Apache-2.0

/// An effect of the camera besides its answer.
public enum CameraEffect: Equatable, Sendable {
    /// A line for all that listen at the backchannel, without its end (Bandit §6).
    case notify(String)
    /// The viewfinder is sent there.
    case startViewfinder(host: String, port: Int)
    /// The viewfinder ends.
    case stopViewfinder
    /// The preview ends, and its connection closes.
    case stopPreview
    /// All sockets close, and none opens: the Wi-Fi or the camera is off.
    case leave
    /// The sockets open again.
    case returnToAir
    /// A fact for the timeline, which clients do not see.
    case tell(String)
    /// Something that the client got wrong: a rule and a sentence.
    case mistake(rule: String, String)
}
