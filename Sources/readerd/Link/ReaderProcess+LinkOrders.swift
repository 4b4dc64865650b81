// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import Logging

/// Orders of a back end. The reader has no key that could have signed one: it refuses every order.
extension ReaderProcess {
    func answer(_ octets: [UInt8], _ number: UInt64) {
        guard let link = operation.link else { return }
        let answer = RemoteAnswer(refusing: octets, device: link.device)
        do throws(CryptoError) { try link.tell(answer, number: number) } catch {
            log.error("link: the terminal key does not sign: \(error)")
        }
    }
}

extension RemoteAnswer {
    /// The answer of a reader without a command key.
    init(refusing octets: [UInt8], device: String) {
        do throws(RemoteOrder.FormFault) {
            let order = try RemoteOrder.Signed(octets).order
            self.init(
                device: device, id: order.id, command: order.command, .refused, order.reader == device ? .key : .reader)
        } catch {
            self.init(device: device, id: nil, command: nil, .refused, .form)
        }
    }
}
