// SPDX-License-Identifier: Apache-2.0

/// The reception between a phone and a reader starting now, in both directions, for an air that takes orders.
public struct Reception: Equatable, Sendable {
    /// The phone, by its place in the list.
    public var phone: Int
    /// The reader, by its place in the list.
    public var reader: Int
    /// The level in dBm.
    public var dBm: Int8
    /// The share of packets that is lost, in percent: 100 out of range.
    public var lossPercent: Int
}
