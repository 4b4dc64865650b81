// SPDX-License-Identifier: Apache-2.0

import Crypto
import Timekeeping
import WiFi
import WiFiStation

/// A station on wpa_supplicant: what that says, which names on the air are a part of, what is wanted of it, and time.
func fuzzSupplicant(_ input: inout FuzzInput) {
    var bench = SupplicantBench()
    bench.wait(.seconds(1))
    while let operation = input.next() { bench.perform(operation, &input) }
    bench.wait(.seconds(120))
}

/// The station, a supplicant that says anything, and what has to be true of all that the station does.
private struct SupplicantBench {
    private var station = SupplicantStation()
    private var now = Instant.origin
    private var isOpen = false
    /// True while the last command has no answer.
    private var isAsked = false
    private var isScanning = false
    private var isJoining = false

    /// The usual answers of a supplicant.
    private static let words = [
        "OK\n", "FAIL\n", "FAIL-BUSY\n", "0\n", "1\n", "<3>CTRL-EVENT-SCAN-STARTED ", "<3>CTRL-EVENT-SCAN-RESULTS ",
        "<3>CTRL-EVENT-NETWORK-NOT-FOUND ", "<3>Trying to associate with 02:00:00:00:00:00 (SSID='x' freq=2437 MHz)",
        "<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:00 completed [id=1 id_str=]",
        "<3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=15",
        "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid=\"x\" auth_failures=1 duration=10 reason=WRONG_KEY",
        "<3>CTRL-EVENT-AUTH-REJECT 02:00:00:00:00:01 auth_type=3 auth_transaction=2 status_code=1",
        "<3>CTRL-EVENT-TERMINATING ", "network id / ssid / bssid / flags\n0\tHome\tany\t[CURRENT]\n",
        "NONE WPA-PSK SAE", " 6 = 2437 MHz\n 36 = 5180 MHz\n",
        "bssid=02:00:00:00:00:00\nfreq=2437\nssid=Home\nid=1\nkey_mgmt=WPA2-PSK\nwpa_state=COMPLETED\n",
        "bssid=02:00:00:00:00:00\nfreq=2437\nssid=Home\nid=1\nwpa_state=COMPLETED\nip_address=10.0.0.7\n",
        "id=0\nbssid=02:00:00:00:00:00\nfreq=2437\nlevel=-30\nage=0\nflags=[WPA2-PSK-CCMP][ESS]\nssid=Home\n####\n",
    ]

    mutating func perform(_ operation: UInt8, _ input: inout FuzzInput) {
        switch operation % 8 {
        case 0, 1: say(Array(SupplicantBench.words[input.number(below: SupplicantBench.words.count)].utf8))
        case 2: say(input.block())
        case 3: wait(.milliseconds(Int64(input.word())))
        case 4: join(&input)
        case 5:
            let period = input.word()
            let scan = WiFiScan(
                band: operation & 0x40 == 0 ? nil : .band5GHz, isPassive: operation & 0x80 != 0,
                period: period == 0 ? nil : .milliseconds(Int64(period)))
            if (try? station.startScan(scan, at: now)) != nil { isScanning = true }
        case 6:
            if operation & 0x80 == 0 {
                station.stopScan(at: now)
                isScanning = false
            } else if (try? station.leave(at: now)) != nil {
                isJoining = false
            }
        default:
            if operation & 0x80 == 0 {
                station.keep(at: now)
            } else {
                station.forget(operation & 0x40 == 0 ? nil : WiFiName(input.consume(4)), at: now)
            }
        }
        drain()
    }

    private mutating func join(_ input: inout FuzzInput) {
        let name = WiFiName(input.consume(Int(input.octet()) % 33))
        let passphrase = WiFiPassphrase(input.consume(Int(input.octet()) % 65))
        let security = WiFiSecurity.allCases[input.number(below: WiFiSecurity.allCases.count)]
        guard let name else { finding("a name that is too long") }
        if (try? station.join(WiFiJoin(name: name, security: security, passphrase: passphrase), at: now)) != nil {
            isJoining = true
        }
    }

    private mutating func say(_ octets: [UInt8]) {
        guard isOpen else { return }
        if !SupplicantBench.isEvent(octets) { isAsked = false }
        station.receive(octets.span, at: now)
        drain()
    }

    /// Events begin with a priority of one digit, `<3>`; all else is an answer.
    private static func isEvent(_ octets: [UInt8]) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return octets.count >= 3 && octets[0] == UInt8(ascii: "<") && digits.contains(octets[1])
            && octets[2] == UInt8(ascii: ">")
    }

    mutating func wait(_ duration: Duration) {
        let end = now + duration
        var rounds = 0
        while let due = station.deadline, due <= end {
            now = max(due, now)
            station.advance(to: now)
            drain()
            require(station.deadline.map { $0 > now } ?? true, "a deadline that stays in the past")
            rounds += 1
            require(rounds < 10_000, "it never rests")
        }
        now = end
        station.advance(to: now)
        drain()
    }

    private mutating func drain() {
        while let action = station.nextAction() {
            switch action {
            case .open:
                require(!isOpen, "a second socket")
                isOpen = true
                isAsked = false
                station.opened(at: now)
            case .close: isOpen = false
            case .send(let datagram):
                let command = datagram.octets
                require(isOpen, "a command without a socket")
                require(!isAsked, "a command before the last one was answered")
                require(!command.isEmpty && command.count < 512, "a command of \(command.count) octets")
                require(!command.contains { $0 < 0x20 }, "a command of more than a line")
                isAsked = true
            }
        }
        while let event = station.nextEvent() {
            switch event {
            case .found(let network): require(isScanning, "\(network.name) is found without a scan")
            case .scanEnded:
                require(isScanning, "the end of no scan")
                isScanning = false
            case .joining: require(isJoining, "a step of no join")
            case .joinFailed:
                require(isJoining, "the end of no join")
                isJoining = false
            case .joined: isJoining = false
            case .lost: break
            }
        }
        _ = try? station.status()
    }
}
