// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Answers of both handshakes on the unsecured session.
extension SecureChannel {
    /// The maximum number of refusals that wait for an acknowledgement. Further refusals are sent only once, so that a
    /// flood is not amplified.
    private static let reliableRefusalLimit = 4

    /// Sends the next message of a handshake.
    mutating func answer(
        _ opcode: UInt8, _ payload: [UInt8], on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        guard let index = index(of: exchange) else { return }
        let message = MatterMessage(protocolID: SecureChannelOpcode.protocolID, opcode: opcode, payload: payload)
        if !transmit(message, on: index, isReliable: true, at: now, effects: &effects) {
            fail(index, at: now, effects: &effects)
        }
    }

    /// Sends a status report, and closes the exchange.
    mutating func conclude(
        _ report: StatusReport, on exchange: ExchangeID, isReliable: Bool, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        guard let index = index(of: exchange) else { return }
        let message = MatterMessage(
            protocolID: SecureChannelOpcode.protocolID, opcode: SecureChannelOpcode.statusReport,
            payload: report.octets)
        _ = transmit(message, on: index, isReliable: isReliable, at: now, effects: &effects)
        closeExchange(exchange)
    }

    /// Sends a refusal, and closes the exchange. Busy is sent without acknowledgement (4.11.1.4).
    mutating func refuse(
        _ report: StatusReport, on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        let waiting = exchanges.count {
            if case .unsecured = $0.context { $0.isClosing && !$0.unacknowledged.isEmpty } else { false }
        }
        let isReliable = report.code != StatusReport.Code.busy && waiting < SecureChannel.reliableRefusalLimit
        conclude(report, on: exchange, isReliable: isReliable, at: now, effects: &effects)
    }

    /// Refuses a message out of order, which ends the handshake of its exchange.
    mutating func refuseUnexpected(_ exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]) {
        refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
        handshakes.removeAll { $0.exchange == exchange }
        if attempt?.exchange == exchange { endAttempt(isSuccess: false, effects: &effects) }
    }

    /// Handles the initiator's report, which ends the handshake and is only acknowledged.
    mutating func receiveHandshakeStatus(
        _ payload: [UInt8], on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        if let index = index(of: exchange) { payOwed(index, at: now, effects: &effects) }
        closeExchange(exchange)
        if attempt?.exchange == exchange { endAttempt(isSuccess: false, effects: &effects) }
        receiveCASEReport(StatusReport(payload), on: exchange, at: now, effects: &effects)
    }

    /// Removes an exchange without a further message.
    mutating func abandon(_ exchange: ExchangeID) { exchanges.removeAll { $0.id == exchange } }

    /// Records the initiator's parameters for retransmissions.
    mutating func learn(_ parameters: SessionParameters, of exchange: ExchangeID) {
        guard let index = index(of: exchange), case .unsecured(let handle) = exchanges[index].context,
            let place = initiators.firstIndex(where: { $0.handle == handle })
        else { return }
        initiators[place].parameters = parameters
    }
}
