// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension ReaderDevice {
    /// Handles a command APDU of a phone that touches the reader. It gets one response, `reader.contactlessResponse`,
    /// at the latest `ContactlessConfiguration.responseTimeout` later.
    public mutating func receive(command: Span<UInt8>, at moment: Moment) {
        reader.receive(command: command, port: &host, random: &random, at: moment)
        takeEvents(at: moment)
    }

    // MARK: The poll role

    /// Handles a card that has entered the field and accepts APDUs; `nextCardAction` has the next action.
    public mutating func cardEntered(at moment: Moment) {
        reader.cardEntered(random: &random, at: moment)
        takeEvents(at: moment)
    }

    /// Handles the response APDU of the card to the last transmitted command.
    public mutating func receive(cardResponse response: Span<UInt8>, at moment: Moment) {
        reader.receive(cardResponse: response, random: &random, at: moment)
        takeEvents(at: moment)
    }

    /// Handles the end of the card's presence.
    public mutating func cardLeft() { reader.cardLeft() }

    /// Removes and returns the next action for the card, after any input: a record may have been awaited.
    public mutating func nextCardAction() -> CardAction? { reader.nextCardAction() }
}
