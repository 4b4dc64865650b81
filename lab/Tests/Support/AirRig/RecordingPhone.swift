// SPDX-License-Identifier: Apache-2.0

public import Peripheral
import Phone
public import Timekeeping

/// A phone that records the ATT PDUs and the ends of links that it receives.
open class RecordingPhone: AirPhone {
    /// The received ATT PDUs, with their times.
    public var received: [(at: Instant, pdu: [UInt8])] = []
    /// The received ATT PDUs.
    public var pdus: [[UInt8]] { received.map(\.pdu) }
    /// The reasons for which links ended.
    public private(set) var ends: [HCIStatus] = []

    open override func receive(_ pdu: [UInt8], at now: Instant) { received.append((now, pdu)) }

    open override func linkLost(_ reason: HCIStatus) { ends.append(reason) }
}

extension AirRig where Handset: RecordingPhone {
    /// Sends an ATT PDU and returns the PDUs received within `wait`.
    @discardableResult
    public func send(_ pdu: [UInt8], _ phone: Handset, wait: Duration = .milliseconds(100)) throws -> [[UInt8]] {
        guard let link = phone.link else { throw NotConnected() }
        phone.received.removeAll()
        try phone.central.sendAttribute(link, pdu.span)
        run(wait)
        return phone.pdus
    }
}
