// SPDX-License-Identifier: Apache-2.0

import Devices
import Timekeeping
import WiFi
import WiFiStation

/// A camera that is onboarded by clients that write anything, while its network comes and goes. Whatever they do, the
/// published order of the signals holds, no secret is in a text, and it comes to rest by itself.
func fuzzCamera(_ input: inout FuzzInput) {
    let choice = input.octet()
    var rig = CameraFuzzRig(choice, limit: Int(input.octet()))
    while let choice = input.next() {
        switch choice {
        case 0..<0x40: rig.pass(.milliseconds(Int(choice) * Int(choice)))
        case 0x40..<0x48: rig.drop()
        case 0x48..<0x50: rig.clientGone(choice & 1)
        case 0x50..<0x60: rig.write(CameraFuzzRig.credentials(choice), choice & 1)
        case 0x60..<0x68: rig.setNetworks(choice & 1 == 0)
        case 0x68..<0x70: rig.subscribe()
        default: rig.write(input.consume(Int(choice & 0x3F)), choice & 1)
        }
    }
    rig.rest()
}

private struct CameraFuzzRig {
    private var camera: Camera
    private var station: SimulatedWiFi
    private var now = Instant.origin
    private let limit: Int
    private let overflow: CameraOverflow
    /// The last signal of an onboarding that is under way.
    private var last: CameraSignal?
    private var texts: Set<String> = []

    /// Secrets that must never be told.
    private static let secrets = ["correct horse", "t0k3n"]

    private static var simulation: WiFiSimulation {
        guard let name = WiFiName("Home"), let passphrase = WiFiPassphrase(Array(secrets[0].utf8)) else {
            finding("a name or a passphrase is refused")
        }
        let home = WiFiNetwork(
            name: name, address: WiFiSimulation.usualAddress, band: .band5GHz, channel: 36, security: .wpa3PSK,
            rssi: -50)
        return WiFiSimulation(accessPoints: [.init(home, passphrase: passphrase)])
    }

    static func credentials(_ choice: UInt8) -> [UInt8] {
        let texts = [
            "Home\ncorrect horse\nann\nt0k3n\n", "SSID=Home\nPASS=correct horse\nUID=ann\nKEY=t0k3n",
            "SSID:Home\nPASS:wrong\nUID:ann\nKEY:t0k3n\n", "Home\ncorrect horse\n", "ann\nt0k3n\n", "Home\n\n\n\n",
        ]
        return Array(texts[Int(choice >> 1) % texts.count].utf8)
    }

    init(_ choice: UInt8, limit: Int) {
        self.limit = limit
        overflow = CameraOverflow.allCases[Int(choice >> 6) % 3]
        var settings = CameraSettings()
        settings.overflow = overflow
        settings.closesAfterFailure = choice & 1 == 0
        settings.demandsNewline = choice & 2 == 0
        if choice & 4 != 0 { settings.connectivityScript = .init(failure: .timeout) }
        guard let token = PairingToken(Array(CameraFuzzRig.secrets[1].utf8)) else { finding("a token is refused") }
        camera = Camera(
            choice & 8 == 0 ? .waiting : .onboardedOffline, settings: settings,
            server: PairingServer(choice & 16 == 0 ? .any : .issued([.init(token)])))
        station = SimulatedWiFi(CameraFuzzRig.simulation)
        camera.start(&station, at: now)
        settle()
    }

    mutating func write(_ octets: [UInt8], _ client: UInt8) {
        let isTaken = camera.refusal(of: UInt32(client)) == nil
        do throws(CameraRefusal) {
            try camera.write(octets.span, client: UInt32(client), &station, at: now)
            require(isTaken, "a write was taken that would be refused")
        } catch {
            require(!isTaken, "a write was refused that would be taken: \(error)")
        }
        settle()
    }

    mutating func clientGone(_ client: UInt8) {
        camera.clientGone(UInt32(client), at: now)
        settle()
    }

    mutating func subscribe() {
        let (status, text) = camera.tellNow()
        look(status, text)
    }

    mutating func drop() {
        station.drop()
        camera.advance(to: now, &station)
        settle()
    }

    mutating func setNetworks(_ areThere: Bool) {
        station.simulation.accessPoints = areThere ? CameraFuzzRig.simulation.accessPoints : []
    }

    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let next = Instant.earlier(camera.deadline, station.deadline), next <= end {
            now = max(now, next)
            camera.advance(to: now, &station)
            settle()
            let following = Instant.earlier(camera.deadline, station.deadline)
            require(following.map { $0 > now } ?? true, "a deadline stays behind")
        }
        now = end
        camera.advance(to: now, &station)
        settle()
    }

    /// Left alone, it neither stays busy nor on the way out.
    mutating func rest() {
        pass(.seconds(120))
        require(camera.status.onboarding != .busy, "it stays busy")
        require(camera.refusal(of: 9) == nil || camera.refusal(of: 9) == .online, "it takes no credentials any more")
    }

    private mutating func settle() {
        while let action = camera.nextAction() {
            if case .tell(let status, let text) = action {
                look(status, text)
                follow(status)
            }
        }
    }

    private mutating func look(_ status: CameraStatus, _ text: String) {
        require(texts.insert(text).inserted, "a text comes twice: \(text)")
        for secret in CameraFuzzRig.secrets { require(!text.contains(secret), "a text has a secret") }
        let values = camera.settings.layout.values(status, text: text, limit: limit, overflow)
        for value in values { require(value.count <= limit, "a value has \(value.count) octets of \(limit)") }
        require(values.isEmpty == (limit < 12), "no value at \(limit) octets")
        let said = values.flatMap { $0.dropFirst(12) }
        if overflow == .split, limit > 15 { require(said == Array(text.utf8), "a text that is split is not whole") }
    }

    /// 201, 301, then 303, or 121, 123, 302 or 303, 501, 502 or 503, 113, 1307; 203 and 303 and 503 end it.
    private mutating func follow(_ status: CameraStatus) {
        let next = status.notification
        let order: [CameraSignal: [CameraSignal]] = [
            .parsingSucceeded: [.wifiInProgress], .wifiInProgress: [.wifiFailed, .connectivityCheckInProgress],
            .connectivityCheckInProgress: [.connectivityCheckDone],
            .connectivityCheckDone: [.wifiSucceeded, .wifiFailed], .wifiSucceeded: [.pairingInProgress],
            .pairingInProgress: [.pairingSucceeded, .pairingFailed], .pairingSucceeded: [.onboarded],
        ]
        if let last, let allowed = order[last] {
            require(allowed.contains(next), "\(next) follows \(last)")
        } else {
            let isInside = order.values.contains { $0.contains(next) } && next != .onboarded
            // What is told again when the network is lost says what was said before.
            require(!isInside || next == last, "\(next) comes without what has to be before it")
        }
        require((status.onboarding == .busy) == (order[next] != nil), "\(next) while \(status.onboarding)")
        last = next
    }
}
