// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Testing

@Suite struct StatusCodeMeaningTests {
    @Test func codesOfAReaderAreExplainedAndOthersAreNumbers() {
        #expect(StatusCode.signature.explained == "-12 (invalid signature)")
        #expect(StatusCode.ok.explained == "0 (ok)")
        #expect(StatusCode(rawValue: -404).explained == "-404")
    }
}
