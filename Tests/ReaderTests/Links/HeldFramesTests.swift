// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reader

@Suite struct HeldFramesTests {
    func append(_ frame: [UInt8], to held: inout HeldFrames) -> Bool { held.append(frame.span) }

    @Test func framesComeBackInOrder() {
        var held = HeldFrames()
        #expect(held.isEmpty)
        #expect(append([1, 2, 3], to: &held) == true)
        #expect(append([], to: &held) == true)
        #expect(append([4], to: &held) == true)
        #expect(held.takeAll() == [[1, 2, 3], [], [4]])
        #expect(held.isEmpty && held.takeAll().isEmpty)
    }

    @Test func oneMessageFitsAndNoMore() {
        var held = HeldFrames()
        let half = [UInt8](repeating: 7, count: 1027)
        #expect(append(half, to: &held) == true)
        #expect(append(half, to: &held) == true)
        #expect(append([1], to: &held) == false)
        #expect(held.takeAll() == [half, half])
    }

    @Test func countlessEmptyFramesAreRefused() {
        var held = HeldFrames()
        for _ in 0..<HeldFrames.maximumFrames { #expect(append([], to: &held) == true) }
        #expect(append([], to: &held) == false)
    }
}
