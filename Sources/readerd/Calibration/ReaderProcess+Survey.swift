// SPDX-License-Identifier: Apache-2.0

import Reader
import System
import Timekeeping

/// Site surveys: for some seconds, phones that connect over Bluetooth LE are measured and not served.
extension ReaderProcess {
    /// Begins a survey, which answers its request at its end. Nil if it has begun.
    func survey(_ seconds: Int, ticket: UInt64) -> ControlAnswer.Refusal? {
        guard operation.survey == nil else { return .surveying }
        guard metrics.isControllerReady else { return .noController }
        guard device.reader.readsRSSI else { return .noRSSI }
        let now = moment.instant
        operation.survey = SurveyRecording(ticket: ticket, start: now)
        device.reader.survey(until: now + .seconds(seconds))
        reactor.schedule(at: now + .seconds(seconds)) { [weak self] in self?.endSurvey() }
        return nil
    }

    private func endSurvey() {
        guard let survey = operation.survey else { return }
        operation.survey = nil
        operation.control?.answer(survey.ticket, .done(survey.answer(operation.settings.proximity)))
    }

    /// Gives a notice to the recordings of signal strengths.
    func recordSignal(_ notice: ReaderNotice) {
        let now = moment.instant
        operation.trace?.take(notice, at: now)
        operation.survey?.take(notice, at: now)
    }
}
