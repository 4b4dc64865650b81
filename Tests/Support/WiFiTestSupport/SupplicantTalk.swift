// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing
public import Timekeeping
public import WiFi
public import WiFiStation

/// A station, and a record of a real wpa_supplicant in place of the program (2.10, with hostapd on simulated radios):
/// lines of `MILLISECONDS > COMMAND` and `MILLISECONDS < DATAGRAM`, in which `\n`, `\t` and `\\` stand for those
/// characters.
public struct SupplicantTalk {
    /// The station.
    public var station: SupplicantStation
    /// The station's events, each with its time in ms.
    public private(set) var events: [String] = []
    /// The present time.
    public private(set) var now = Instant.origin

    /// A talk of this station.
    public init(_ station: SupplicantStation = SupplicantStation()) { self.station = station }

    /// A talk after ATTACH, with the known networks `knows` and the given reply to `STATUS`.
    public static func attached(_ knows: String = "", status: String = SupplicantTalk.disconnected) -> SupplicantTalk {
        var talk = SupplicantTalk()
        talk.open()
        talk.play(
            """
            0 > ATTACH
            0 < OK\\n
            0 > GET_CAPABILITY key_mgmt
            0 < NONE IEEE8021X WPA-EAP WPA-PSK WPA-EAP-SUITE-B OWE DPP FT-PSK FT-EAP SAE
            0 > GET_CAPABILITY freq
            0 < Mode[G] Channels:\\n 1 = 2412 MHz\\n 6 = 2437 MHz\\n 12 = 2467 MHz (NO_IR)\\n\\nMode[A] Channels:\\n 36 = 5180 MHz (NO_IR)\\n 52 = 5260 MHz (NO_IR) (DFS)\\n\\nMode[B] Channels:\\n 1 = 2412 MHz\\n
            0 > LIST_NETWORKS
            0 < network id / ssid / bssid / flags\\n\(knows)
            """)
        if !knows.isEmpty {
            talk.play(
                """
                0 > SIGNAL_POLL
                0 < \(signal)
                0 > STATUS
                0 < \(status)
                0 > GET_NETWORK 0 key_mgmt
                0 < WPA-PSK WPA-PSK-SHA256 SAE
                """)
        } else {
            talk.play(
                """
                0 > SIGNAL_POLL
                0 < FAIL\\n
                0 > STATUS
                0 < \(status)
                """)
        }
        talk.events.removeAll()
        return talk
    }

    /// The reply to `LIST_NETWORKS` with Home.
    public static let home = "0\\tHome\\tany\\t[CURRENT]\\n"
    /// The reply to `SIGNAL_POLL`.
    public static let signal =
        "RSSI=-30\\nLINKSPEED=48\\nNOISE=9999\\nFREQUENCY=2437\\nWIDTH=20 MHz (no HT)\\nCENTER_FRQ1=2437\\n"
        + "AVG_RSSI=-30\\nAVG_BEACON_RSSI=-30\\n"
    /// The reply to `STATUS` without a link.
    public static let disconnected =
        "wpa_state=DISCONNECTED\\np2p_device_address=42:00:00:00:01:00\\naddress=02:00:00:00:01:00\\n"
        + "uuid=572cf82f-c957-5653-9b16-b5cfb298abf1\\n"

    /// The reply to `STATUS` of a link that is up.
    public static func connected(_ name: String = "Home", id: Int, ipv4: String? = nil) -> String {
        "bssid=02:00:00:00:00:00\\nfreq=2437\\nssid=\(name)\\nid=\(id)\\nmode=station\\npairwise_cipher=CCMP\\n"
            + "group_cipher=CCMP\\nkey_mgmt=WPA2-PSK\\nwpa_state=COMPLETED\\n"
            + (ipv4.map { "ip_address=\($0)\\n" } ?? "")
            + "p2p_device_address=42:00:00:00:01:00\\naddress=02:00:00:00:01:00\\n"
            + "uuid=572cf82f-c957-5653-9b16-b5cfb298abf1\\n"
    }

    /// Opens the station's socket.
    public mutating func open() {
        station.advance(to: now)
        guard case .open? = station.nextAction() else {
            Issue.record("the station does not ask for its socket")
            return
        }
        station.opened(at: now)
    }

    /// Plays a record: the station must send exactly the commands of the record.
    public mutating func play(_ record: String) {
        for line in record.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let time = Int64(parts[0]) else {
                Issue.record("no line of a record: \(line)")
                return
            }
            now = .origin + .milliseconds(time)
            if let due = station.deadline, due <= now { station.advance(to: now) }
            recordState()
            let octets = SupplicantTalk.octets(parts[2])
            if parts[1] == ">" {
                guard case .send(let sent)? = station.nextAction() else {
                    Issue.record("\(line): nothing is sent")
                    return
                }
                #expect(String(decoding: sent.octets, as: UTF8.self) == String(decoding: octets, as: UTF8.self))
            } else {
                expectQuiet("\(line)")
                station.receive(octets.span, at: now)
            }
            recordState()
        }
    }

    /// Advances the clock; the station must not send anything.
    public mutating func wait(until milliseconds: Int64) {
        let end = Instant.origin + .milliseconds(milliseconds)
        while let due = station.deadline, due <= end {
            now = due
            station.advance(to: now)
            recordState()
            if station.nextAction() != nil { return }
        }
        now = end
        recordState()
    }

    private mutating func expectQuiet(_ line: String) {
        // A command that is sent at this time in the record comes in a later line.
        while let action = station.nextAction() {
            guard case .send(let sent) = action else {
                Issue.record("before \(line): \(action)")
                continue
            }
            Issue.record("before \(line): sends \(String(decoding: sent.octets, as: UTF8.self))")
        }
    }

    private mutating func recordState() {
        while let event = station.nextEvent() {
            events.append("\((now - .origin).wholeMilliseconds) \(SupplicantTalk.words(event))")
        }
    }

    /// An event as a short text.
    public static func words(_ event: WiFiEvent) -> String {
        switch event {
        case .found(let network):
            "found \(network.name) \(network.address) \(network.band) \(network.channel) \(network.security) \(network.rssi)"
        case .scanEnded(let isComplete): "scan \(isComplete ? "ended" : "broke off")"
        case .joining(let step): "\(step)"
        case .joined(let network, let address): "joined \(network.name) \(address)"
        case .joinFailed(let failure): "failed \(failure)"
        case .lost: "lost"
        }
    }

    /// The octets that a line of a record represents.
    public static func octets(_ text: some StringProtocol) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                result.append(octet)
                continue
            }
            switch next {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            default: result.append(next)
            }
        }
        return result
    }
}
