// SPDX-License-Identifier: Apache-2.0

extension HostEvent {
    /// The link of the event; nil for none.
    public var link: LinkID? {
        switch self {
        case .ready, .controllerFailed, .advertising, .transmitPowerUnavailable: nil
        case .connected(let link, _), .disconnected(let link, _), .intervalChanged(let link, _),
            .rssi(let link, _), .transmitPower(let link, _),
            .mtuExchanged(let link, _), .written(let link, _, _), .subscribed(let link, _, _),
            .confirmed(let link, _), .refused(let link, _),
            .writable(let link), .displayPasskey(let link, _), .requestPasskey(let link),
            .compare(let link, _),
            .securityChanged(let link, _), .bondRemoved(let link, _), .paired(let link, _), .pairingFailed(let link, _),
            .channelOpened(let link, _, _), .channelReceived(let link, _, _),
            .channelWritable(let link, _),
            .channelReconfigured(let link, _, _), .channelClosed(let link, _):
            link
        case .readRequested(let request, _, _), .writeRequested(let request, _, _): request.link
        }
    }
}
