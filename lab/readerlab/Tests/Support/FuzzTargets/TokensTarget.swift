// SPDX-License-Identifier: Apache-2.0

/// Tokens of phones that the reader's own key seems to have signed, or not. In one half of the inputs decisions about
/// credentials alone, against an oracle; in the other a whole reader with its door, clock, blacklist, log
/// and commands, of which an oracle states who may act, who may open, and who may move the clock.
func fuzzTokens(_ input: inout FuzzInput) {
    let choice = input.octet()
    if choice & 1 == 0 {
        var bench = DecisionBench(&input)
        var left = 8
        while !input.isEmpty, left > 0 {
            left -= 1
            if input.octet() & 7 == 7 {
                bench.decide(secureIdentifier: input.block(), isListed: choice & 2 == 0)
            } else {
                bench.decide(ForgedCredential(&input))
            }
        }
        return
    }
    var rig = TokenRig(
        isAudited: choice & 2 == 0, reArms: choice & 4 == 0, isRestoring: choice & 8 != 0,
        blacklistCapacity: choice & 0x10 == 0 ? 8 : 3, isClockSet: choice & 0x20 == 0)
    // What a token costs bounds how many there are, and what a restart does.
    var left = 12
    while let choice = input.next(), left > 0 {
        switch choice {
        case 0..<0x80:
            left -= 1
            rig.show(&input, on: Int(choice & 3), cutInto: choice & 4 == 0 ? 512 : 20 + Int(choice >> 3))
        case 0x80..<0x90:
            rig.pass(.milliseconds(Int(choice & 15) * 200))
            rig.observe()
        case 0x90..<0xA8: rig.decideOpenings(choice)
        case 0xA8..<0xC8: rig.answerStorage(choice, &input)
        case 0xC8..<0xCC:
            left -= 1
            rig.restart(choice, &input)
        case 0xCC..<0xD0:
            left -= 1
            rig.moveClock(choice, &input)
        case 0xD0..<0xD8: rig.hangUp(Int(choice & 3))
        case 0xD8..<0xDC: rig.lockdown(choice & 1 == 0)
        case 0xDC..<0xE0: rig.tamper(choice & 1 == 0)
        case 0xE0..<0xE4: rig.hold(choice & 1 == 0)
        case 0xE4..<0xE8: rig.restore(input.octet())
        case 0xE8: rig.shutDown()
        default: rig.setMTU(23 + Int(choice & 15) * 15)
        }
    }
    rig.rest()
}
