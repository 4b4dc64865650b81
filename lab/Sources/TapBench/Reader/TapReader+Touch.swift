// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Phone
import Reader
import Timekeeping

/// A phone that reads, as the other side of the reader's card.
extension TapReader {
    /// A phone that reads shows its token to the reader's card.
    mutating func touch() throws -> TapTrace {
        var reader = try TapReader.reader(isAudited: false)
        var card = ContactlessConfiguration()
        card.deviceID = DemoIdentity.deviceID
        reader.configureContactless(card)
        var port = NoPort()
        var phone = PhoneTouch(
            PhoneVisitPlan(.token, credentials: [try .demo()]), clock: PhoneClock(TapReader.noon, at: .origin),
            random: random, at: .origin)
        phone.activated(at: .origin)
        var exchanges: [TapExchange] = []
        while let command = phone.takeCommand() {
            let began = processor()
            reader.receive(command: command.span, port: &port, random: &random, at: moment)
            let response = reader.contactlessResponse
            let spent = processor() - began
            exchanges.append(
                TapExchange(
                    name: TapKind.token.name(of: command), command: command.count, response: response.count,
                    hasKeyWork: false, reader: spent))
            phone.receive(response, at: .origin)
        }
        var effects: [ReaderEffect] = []
        reader.takeEffects(into: &effects)
        guard effects.contains(where: \.opensLock) else { throw TapFault("token: the door was not opened") }
        return TapTrace(.token, exchanges)
    }
}
