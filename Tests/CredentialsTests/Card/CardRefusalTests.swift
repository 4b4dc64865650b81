// SPDX-License-Identifier: Apache-2.0

import Credentials
import Testing

@Suite struct CardRefusalTests {
    @Test(arguments: CardRefusal.allCases) func wordsOfLogsAreLowerCaseAndHyphens(_ refusal: CardRefusal) {
        #expect(refusal.rawValue.allSatisfy { $0 == "-" || ("a"..."z").contains($0) })
    }
}
