// SPDX-License-Identifier: Apache-2.0

import Reader
import SeededNumbers
import Timekeeping

/// The NFC front end of a reader at a site.
protocol ReaderField: AnyObject {
    /// The next time at which `serve` has an effect.
    var nextDeadline: Instant? { get }
    /// The reader starts: it gets its lists and keys, and the chip is as after power-up. `last` is the Aliro door of
    /// the last start, whose store is kept.
    func start(_ reader: inout AccessReader, last: AliroDoor?, at now: Instant)
    /// The reader has no power.
    func stop(at now: Instant)
    /// Serves cards until the front end waits for time, a card or the reader.
    func serve(_ device: inout ReaderDevice<SeededGenerator>, at moment: Moment)
    /// Handles a notice of the reader about a card.
    func receive(_ notice: ReaderNotice, at now: Instant)
    /// Removes and returns the entries for the timeline.
    func removeEntries() -> [TimelineEntry]
}
