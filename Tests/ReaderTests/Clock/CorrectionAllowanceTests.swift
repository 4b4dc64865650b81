import Testing

@testable import Reader

@Suite struct CorrectionAllowanceTests {
    private static let noon: Int64 = 1_806_148_800

    @Test func comesBackASecondEach8640() {
        var allowance = CorrectionAllowance()
        #expect(allowance.left(at: Self.noon) == 300)
        let taken = allowance.take(300, at: Self.noon)
        #expect(taken && allowance.restoredAt == Self.noon + 2_592_000)
        let more = allowance.take(1, at: Self.noon + 8639)
        #expect(!more && allowance.left(at: Self.noon + 8640) == 1)
        #expect(allowance.left(at: Self.noon + 2_591_999) == 299)
        #expect(allowance.left(at: Self.noon + 2_592_000) == 300)
        #expect(allowance.left(at: Self.noon + 99_999_999) == 300)
        #expect(allowance.left(at: Self.noon - 1) == 0)
    }

    private static let kept: [(restoredAt: Int64, left: Int64)] = [
        (.max, 0), (.max - noon, 0), (.min, 300), (0, 300), (noon + 8640, 299), (noon + 8641, 298),
    ]

    @Test(arguments: kept) func whateverWasKept(restoredAt: Int64, left: Int64) {
        var allowance = CorrectionAllowance(restoredAt: restoredAt)
        #expect(allowance.left(at: Self.noon) == left)
        #expect(CorrectionAllowance(restoredAt: restoredAt).left(at: .min) >= 0)
        #expect(CorrectionAllowance(restoredAt: restoredAt).left(at: .max) >= 0)
        let taken = allowance.take(left + 1, at: Self.noon)
        #expect(!taken && allowance.restoredAt == restoredAt)
    }
}
