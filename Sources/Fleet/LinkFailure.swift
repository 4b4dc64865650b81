// SPDX-License-Identifier: Apache-2.0

/// The end of a connection to a broker, or of an attempt.
public struct LinkFailure: Equatable, Sendable {
    /// The fault.
    public var fault: LinkFault
    /// The cause and the remedy, in one line for people.
    public var text: String
    /// The broker's reason; nil for none.
    public var reason: MQTTReason?
    /// True if the broker has closed a connection that it served without giving a reason.
    public var isUnexplained = false

    /// A failure without an answer of the broker.
    public init(_ fault: LinkFault, _ text: String, isUnexplained: Bool = false) {
        (self.fault, self.text, self.isUnexplained) = (fault, text, isUnexplained)
    }

    /// A connection that `broker` has refused or ended for this reason. `reference` is the other server to which it
    /// refers, if any.
    public init(_ broker: String, _ reason: MQTTReason, refused: Bool, reference: String? = nil) {
        let (fault, advice) = LinkFailure.advice(for: reason, refused: refused)
        let verb = refused ? "refuses this reader" : "has ended the connection"
        let other = reference.map { " (\($0))" } ?? ""
        self.init(fault, "\(broker) \(verb), \(reason)\(other): \(advice)")
        self.reason = reason
    }

    /// The fault of a refusal (CONNACK) or an end (DISCONNECT) for a reason (MQTT 5, 2.4), and the remedy. Enrolment is
    /// advised only for reasons of identity, and another client is reported only for `sessionTakenOver`.
    static func advice(for reason: MQTTReason, refused: Bool) -> (fault: LinkFault, text: String) {
        identityAdvice(reason) ?? limitAdvice(reason) ?? availabilityAdvice(reason) ?? protocolAdvice(reason)
            ?? (refused ? .refused : .lost, "read the broker's log")
    }

    private static func identityAdvice(_ reason: MQTTReason) -> (LinkFault, String)? {
        switch reason.rawValue {
        case 0x85: (.refused, "enrol it there, and permit the reader's 16 digits as a client identifier")
        case 0x86, 0x87, 0x8C: (.refused, "enrol it there")
        case 0x8A: (.refused, "lift the ban there, or enrol it again")
        case 0x8E:
            (
                .identityTwice,
                "another client has the same identity; find the second reader with this certificate, and enrol it again"
            )
        default: nil
        }
    }

    private static func limitAdvice(_ reason: MQTTReason) -> (LinkFault, String)? {
        switch reason.rawValue {
        case 0x8F, 0x90: (.limit, "permit the topics acc/v1/# there; a rule for topics forbids them")
        case 0x95:
            (
                .limit,
                "raise its maximum packet size, for mosquitto max_packet_size, to \(FleetLimits.leastPacket) at least"
            )
        case 0x96: (.limit, "raise its limit of messages per second")
        case 0x97: (.limit, "raise its quota")
        case 0x9A: (.limit, "permit retained messages, for mosquitto retain_available true")
        case 0x9B: (.limit, "permit QoS 1, for mosquitto max_qos 1")
        case 0x9E, 0xA1, 0xA2: (.limit, "permit subscriptions with wildcards")
        case 0x9F: (.limit, "raise its limit of connections per second, or --spread")
        case 0xA0: (.limit, "raise its maximum time of a connection")
        default: nil
        }
    }

    private static func availabilityAdvice(_ reason: MQTTReason) -> (LinkFault, String)? {
        switch reason.rawValue {
        case 0x88, 0x89: (.unreachable, "wait, or relieve the broker")
        case 0x8B: (.unreachable, "start the broker")
        case 0x8D: (.lost, "check the network; the link's messages do not arrive")
        case 0x98: (.lost, "an administrator of the broker has ended it")
        case 0x9C, 0x9D: (.unreachable, "name the other server with --broker")
        default: nil
        }
    }

    private static func protocolAdvice(_ reason: MQTTReason) -> (LinkFault, String)? {
        switch reason.rawValue {
        case 0x84: (.oldProtocol, "use a broker with MQTT 5")
        case 0x81, 0x82, 0x91...0x94, 0x99: (.violation, "report it, with the broker's name and version")
        default: nil
        }
    }
}
