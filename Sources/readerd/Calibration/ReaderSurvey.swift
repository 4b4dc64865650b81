// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader
import System
import Timekeeping

/// Site surveys: for some seconds, phones that connect over Bluetooth LE are measured and not served.
final class ReaderSurvey: ReaderService {
    unowned let process: ReaderProcess
    private let control: ReaderControl
    /// The survey under way; nil for none.
    private var recording: SurveyRecording?

    init(_ process: ReaderProcess, control: ReaderControl) { (self.process, self.control) = (process, control) }

    /// Begins a survey, which answers its request at its end.
    func perform(_ verb: TimedVerb, seconds: Int64, ticket: UInt64) -> TimedOutcome? {
        guard verb == .survey else { return nil }
        guard recording == nil else { return .refused(.surveying) }
        guard process.metrics.isControllerReady else { return .refused(.noController) }
        guard process.device.reader.readsRSSI else { return .refused(.noRSSI) }
        let now = moment.instant
        recording = SurveyRecording(ticket: ticket, start: now)
        process.device.reader.survey(until: now + .seconds(seconds))
        reactor.schedule(at: now + .seconds(seconds)) { [weak self] in self?.end() }
        return .waits
    }

    private func end() {
        guard let recording else { return }
        self.recording = nil
        control.server?.answer(recording.ticket, .done(recording.answer(settings.proximity)))
    }

    func receive(_ notice: ReaderNotice) { recording?.receive(notice, at: moment.instant) }
}
