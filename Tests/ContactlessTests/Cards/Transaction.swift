// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import TestSupport

/// Runs the reader's transaction with a card to its end; the door opens whatever is proven.
///
/// - Returns: the evidence, and the outcome; nil for a card that has left, or an exchange without end.
func run(
    _ transaction: inout some CardTransaction, with card: inout some ContactlessCard, limit: Int = 200
) -> (evidence: CardEvidence?, outcome: CardOutcome?) {
    var random = SplitMix64(seed: 7)
    var evidence: CardEvidence?
    card.activate()
    var step = transaction.start()
    for _ in 0..<limit {
        switch step {
        case .transmit(let command):
            guard let response = card.respond(to: command, random: &random) else { return (evidence, nil) }
            step = transaction.receive(response.span)
        case .decide(let proven):
            evidence = proven
            step = transaction.conclude(.opened)
        case .end(let outcome): return (evidence, outcome)
        }
    }
    return (evidence, nil)
}

extension CardActivation {
    static let anyCard = CardActivation(random: (1, 2, 3))
}
