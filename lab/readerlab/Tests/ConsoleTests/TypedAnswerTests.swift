// SPDX-License-Identifier: Apache-2.0

import Emulation
import Testing
import Timekeeping

@testable import Console

struct TypedAnswerTests {
    @Test("a finding is neither an ok nor an error of the typed line")
    func markOfAFinding() {
        var timeline = Timeline(start: .origin, expectations: [AppExpectations()])
        #expect(TypedAnswer(lines: timeline.findingLines).sentences == ["ok: nothing was found"])
        timeline.mistake("rule", "it is wrong", entry: 4, device: 0, link: 1, at: .origin)
        let answer = TypedAnswer(lines: timeline.findingLines)
        #expect(answer.sentences == ["! rule, entry 4: it is wrong"])
        #expect(TypedAnswer(lines: ["no"], isError: true).sentences == ["error: no"])
    }
}
