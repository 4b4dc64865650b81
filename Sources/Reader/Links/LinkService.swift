// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Peripheral
import Timekeeping

/// A service over Bluetooth LE whose clients do not speak the access profile. Addresses, gates, slots, time limits and
/// decisions are those of all links; a kind has its attributes, its channel and its transaction.
protocol LinkServiceKind: Sendable {
    /// The mode that advertises it. Links of this mode, or of an unknown one, are served.
    static var mode: AdvertisingMode { get }
    /// The kind of its credentials.
    static var credential: CardKind { get }
    /// Its credit-based channel; nil if its messages are the values of characteristics.
    static var channel: ChannelService? { get }

    /// Adds its attributes to the reader's table.
    static func addAttributes(
        _ identifiers: AdvertisingPackets.Identifiers, to builder: inout DatabaseBuilder
    ) -> LinkService.Attributes

    /// True if a client that has written this value may open the channel. Another one is disconnected.
    static func accepts(_ opening: Span<UInt8>) -> Bool

    /// A transaction with a near client; nil if the reader lacks its part of it.
    static func transaction(
        _ keys: LinkKeys, random: inout some RandomSource, at moment: Moment
    ) -> (any LinkTransaction)?
}

extension LinkServiceKind {
    /// No channel.
    static var channel: ChannelService? { nil }
    /// A kind without a channel opens none.
    static func accepts(_ opening: Span<UInt8>) -> Bool { false }
}

/// The keys, lists and stores of the reader from which transactions begin.
struct LinkKeys {
    /// The reader's identifier and the trusted issuers of PKOC.
    let cards: CardReading
    /// The site's key of PKOC.
    let pkocSite: (any HeldPrivateKey)?
    /// The Aliro reader with its store, which has followed the policy.
    let aliro: AliroDoor?
    /// The zone of the local time.
    let zone: TimeZoneRule
}

/// A service in the reader's table.
struct LinkService: Sendable {
    /// The places of its messages.
    enum Attributes: Equatable, Sendable {
        /// A client subscribes to `notified`, and writes its messages to the other.
        case messages(written: AttributeHandle, notified: AttributeHandle)
        /// A client writes its version, and opens the channel for its messages.
        case opening(written: AttributeHandle)
    }

    /// All services that a reader may have.
    static let kinds: [any LinkServiceKind.Type] = [PKOCLinkService.self, AliroLinkService.self]

    let kind: any LinkServiceKind.Type
    let attributes: Attributes

    /// The characteristic that clients write.
    var written: AttributeHandle {
        switch attributes {
        case .messages(let written, _), .opening(let written): written
        }
    }

    /// The characteristic that clients subscribe to; nil for a service with a channel.
    var notified: AttributeHandle? {
        if case .messages(_, let notified) = attributes { notified } else { nil }
    }

    /// True if a link of this mode may have the service; nil is an unknown mode, whose gate is the strictest.
    func isServed(in mode: AdvertisingMode?) -> Bool { mode == nil || mode == kind.mode }
}
