// SPDX-License-Identifier: Apache-2.0

import Crypto
import NordicProvisioning
import Peripheral
import WiFi
import WiFiStation
import Reader
import Timekeeping

/// The provisioning gateway as a companion device of the reader's host. Requests wait until it has access to the host.
final class GatewayCompanion: CompanionDevice {
    private enum Wish {
        case open(GatewayWindow.Cause, Duration?)
        case close
    }

    var gateway: ProvisioningGateway
    private var wishes: [Wish] = []

    init(_ gateway: ProvisioningGateway) { self.gateway = gateway }

    var served: ServedDevice { gateway.served }
    /// Bonds are not kept.
    var security: SecuritySetup? {
        SecuritySetup(identity: nil, store: TransientBondStore(), random: SystemRandomSource())
    }
    var advertisingSet: AdvertisingSet? { gateway.advertisingSet }
    var hasLinks: Bool { gateway.hasLinks }
    var nextDeadline: Instant? { gateway.nextDeadline }

    func receive(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool {
        gateway.receive(event, &host, at: now)
    }

    func advance(_ host: inout Host, to now: Instant) {
        for wish in wishes {
            switch wish {
            case .open(let cause, let time): gateway.open(cause, for: time, &host, at: now)
            case .close: gateway.close(.control, &host, at: now)
            }
        }
        wishes.removeAll()
        gateway.advance(&host, to: now)
    }

    func shutDown(_ host: inout Host, at now: Instant) { gateway.close(.shutDown, &host, at: now) }

    /// Opens the window at the next `advance`.
    func open(_ cause: GatewayWindow.Cause, for time: Duration?) { wishes.append(.open(cause, time)) }

    /// Closes the window at the next `advance`.
    func close() { wishes.append(.close) }
}
