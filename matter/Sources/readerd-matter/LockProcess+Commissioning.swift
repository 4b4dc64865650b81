// SPDX-License-Identifier: Apache-2.0

import LockChannel
import Logging
import MatterHost
import MatterNode
import MatterSession
import System
import Timekeeping
import WiFi

/// Commissioning over the reader's radio, into the Wi-Fi of its gateway.
extension LockProcess {
    func receive(_ event: LockLinkEvent, of link: UInt16, at now: Moment) {
        switch event {
        case .opened: links.began(link, at: now.instant)
        case .wrote(let value, let mtu): links.wrote(value, on: link, attMTU: mtu, at: now.instant)
        case .subscribed: links.subscribed(link, at: now.instant)
        case .confirmed: links.confirmed(link, at: now.instant)
        case .closed:
            links.ended(link)
            node?.linkLost(.ble(link: link), at: now)
        }
    }

    func receive(_ event: LockWiFiEvent, at now: Moment) {
        switch event {
        case .station(let event): node?.receive(event, at: now)
        case .refused: node?.receive(WiFiRefusal.failed, at: now)
        }
    }

    func request(_ request: LockWiFiRequest) {
        if !connection.send(.wifi(request)) { node?.receive(WiFiRefusal.failed, at: now) }
    }

    func perform(_ event: MatterLinks.Event) {
        switch event {
        case .message(let octets, let link):
            node?.receive(octets, from: .ble(link: link), at: now, age: reactor.inputAge)
        case .fault(let fault, let link): log.info("link \(link): \(fault)")
        }
    }

    func perform(_ request: MatterLinks.Request) {
        switch request {
        case .indicate(let octets, let link): connection.send(.indicate(link, octets))
        case .disconnect(let link): connection.send(.disconnect(link))
        }
    }

    func advertise(_ advertisement: MatterAdvertisement) {
        network?.offer(advertisement)
        let commissionable = advertisement.commissionable.flatMap { $0.isOverBluetooth ? $0 : nil }
        guard commissionable?.serviceData != serviceData else { return }
        serviceData = commissionable?.serviceData
        connection.send(.advertise(serviceData))
    }
}
