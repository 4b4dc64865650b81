// SPDX-License-Identifier: Apache-2.0

import CardPolling
import JSON
import NFC
import Reader
import Timekeeping

extension ReaderContactless {
    /// The member of the status, in its own place.
    var report: JSONObject {
        let polled = contactless.pollCounts
        var report: JSONObject = [
            "connection": contactless.connection, "role": contactless.role.rawValue,
            "state": contactless.state.name, "failures": contactless.failures,
            "activations": contactless.activations, "rounds": polled.rounds, "cards": polled.cards,
            "rejected": polled.rejected, "lost": polled.lost, "recoveries": polled.recoveries,
        ]
        let reasons = refusals.filter { $0.count > 0 }
        if !reasons.isEmpty {
            var refused = JSONObject()
            for (reason, count) in reasons { refused.add(reason, count) }
            report.add("refused", json: refused.json)
        }
        if let since = presence.since {
            let seconds = (moment.instant - since).wholeMilliseconds / 1000
            let time = AuditTime(
                Moment(instant: since, epochSeconds: moment.epochSeconds.map { $0 - seconds }),
                zone: process.device.reader.configuration.zone)
            report.add("card-since", EventLine.time(time).orNull)
            report.add("card-s", seconds)
        }
        return report
    }

    /// Cards that opened nothing, by reason, sorted: from the front end, the card's protocol and the decision.
    var refusals: [(reason: String, count: UInt64)] {
        ReaderContactless.refusals(process.metrics, contactless)
    }

    static func refusals(_ metrics: ReaderMetrics, _ contactless: NFCService?) -> [(reason: String, count: UInt64)] {
        let rejected = CardRejection.allCases.map { ($0.rawValue, contactless?.rejections[$0] ?? 0) }
        return (rejected + metrics.refusedCards.map { ($0.key, $0.value) }).sorted { $0.0 < $1.0 }
            .map { (reason: $0.0, count: $0.1) }
    }
}
