// SPDX-License-Identifier: Apache-2.0

import LockChannel
import Logging
import NordicProvisioning
import Reader
import System
import Timekeeping
import WiFi
import WiFiStation

/// Commissioning of the Matter lock over Bluetooth LE into the gateway's Wi-Fi.
extension ReaderMatter {
    /// Performs a request of the lock's process to the commissioning service.
    func relay(_ request: LockRequest) {
        guard let relay = matter.relay else { return }
        switch request {
        case .advertise(let octets): relay.advertise(octets)
        case .indicate(let link, let value): relay.indicate(value, on: link)
        case .disconnect(let link): relay.disconnect(link)
        case .order, .state, .openWindow, .wifi, .aliro, .recordPINs, .pinRefused: return
        }
        process.device.advanceCompanions(at: moment)
    }

    /// Hides the commissioning service, and takes the station back, after the process has ended.
    func endMatterRadio() {
        guard let relay = matter.relay else { return }
        relay.advertise(nil)
        relay.disconnect()
        gateway?.service.companion.gateway.takeStationBack(at: reactor.now)
        process.device.advanceCompanions(at: moment)
    }

    /// Reports the changes of links to the process, and the events of the station that it uses.
    func relayEvents() {
        guard let relay = matter.relay else { return }
        for (link, event) in relay.takeEvents() { matter.send(.link(link, event)) }
        guard let gateway = gateway?.service.companion, gateway.gateway.isStationLent else { return }
        while let event = gateway.gateway.nextLentEvent() { handle(event, gateway, matter) }
    }

    private func handle(_ event: WiFiEvent, _ companion: GatewayCompanion, _ matter: MatterService) {
        let told = LockWiFiEvent.station(event)
        if told.isTold { matter.send(.wifi(told)) }
        switch event {
        case .joined:
            matter.hasJoined = true
            companion.gateway.takeStationBack(at: reactor.now)
        case .scanEnded, .joinFailed: companion.gateway.takeStationBack(at: reactor.now)
        case .found, .joining, .lost: break
        }
    }

    // MARK: - Wi-Fi

    /// Performs a request of the lock's process to the station. It changes the network only while an operator's window
    /// is open; afterwards it may keep or undo what it has joined.
    func perform(_ request: LockWiFiRequest) {
        guard let companion = gateway?.service.companion else { return }
        switch request {
        case .join(let join) where !matter.isWindowOpen(at: reactor.now): confirm(join, companion, matter)
        case .scan, .join: use(request, companion, matter)
        case .leave, .keep:
            guard matter.hasJoined || matter.isWindowOpen(at: reactor.now) else { return }
            matter.hasJoined = false
            use(request, companion, matter)
        }
        gateway?.advance()
    }

    /// Answers a join without a window: the supplicant returns to its networks without an order.
    private func confirm(_ join: WiFiJoin, _ companion: GatewayCompanion, _ matter: MatterService) {
        let status = try? companion.gateway.station.status()
        guard let status, status.state == .connected, let network = status.network, network.name == join.name,
            let address = status.ipv4
        else {
            matter.send(.wifi(.refused))
            return
        }
        matter.send(.wifi(.station(.joined(network, address))))
    }

    private func use(_ request: LockWiFiRequest, _ companion: GatewayCompanion, _ matter: MatterService) {
        let now = reactor.now
        guard companion.gateway.lendStation() else {
            matter.send(.wifi(.refused))
            return matter.logOrder(.notice, "Wi-Fi is refused: a phone provisions it")
        }
        do throws(WiFiRefusal) {
            switch request {
            case .scan(let name): try companion.gateway.station.startScan(WiFiScan(name: name), at: now)
            case .join(let join):
                matter.logOrder(.notice, "joins \(join.name)")
                try companion.gateway.station.join(join, at: now)
            case .leave:
                try companion.gateway.station.leave(at: now)
                companion.gateway.takeStationBack(at: now)
            case .keep:
                companion.gateway.station.keep(at: now)
                companion.gateway.takeStationBack(at: now)
            }
        } catch {
            companion.gateway.takeStationBack(at: now)
            matter.send(.wifi(.refused))
        }
    }

    // MARK: - Window

    /// Opens or closes the commissioning window of the lock; false while its process is not there.
    func openWindow(seconds: Int) -> Bool {
        guard matter.send(.window(seconds: seconds)) else { return false }
        matter.windowEnd = seconds > 0 ? reactor.now + .seconds(seconds) : nil
        return true
    }

    /// The gateway's window is the lock's too.
    func followWindow(_ notice: GatewayNotice) {
        switch notice {
        case .opened(_, let time): _ = openWindow(seconds: Int(time.wholeMilliseconds / 1000))
        case .closed(.done): break
        case .closed: _ = openWindow(seconds: 0)
        case .lost: matter.send(.wifi(.station(.lost)))
        default: break
        }
    }
}
