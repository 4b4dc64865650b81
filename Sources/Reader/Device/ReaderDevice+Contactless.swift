// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension ReaderDevice {
    /// Handles a command APDU of a phone that touches the reader. It gets one response, `reader.contactlessResponse`,
    /// at the latest `ContactlessConfiguration.responseTimeout` later.
    public mutating func receive(command: Span<UInt8>, at moment: Moment) {
        reader.receive(command: command, port: &host, random: &random, at: moment)
        takeEvents(at: moment)
    }
}
