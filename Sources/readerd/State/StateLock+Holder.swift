// SPDX-License-Identifier: Apache-2.0

import Glibc

extension StateLock {
    /// The process that holds the lock, as the lock's file records it: `412 run`. Others distinguish by it a reader,
    /// which stays, from a command, which ends, and name the process.
    struct Holder: Equatable {
        let process: pid_t
        /// The command, `run` for a reader; nil in a record of another version.
        let name: CommandName?

        var isReader: Bool { name == .run }

        /// The record.
        var text: String { "\(process) \(name?.rawValue ?? "")\n" }

        /// Limit of a record: a process, a space and a name.
        private static let maximumCount = 64

        /// Parses a record; nil if it names no process.
        init?(_ text: some StringProtocol) {
            let fields = text.prefix { $0 != "\n" }.split(separator: " ")
            guard 1...2 ~= fields.count, let process = pid_t(fields[0]), process > 0 else { return nil }
            self.init(process: process, name: fields.count == 2 ? CommandName(rawValue: String(fields[1])) : nil)
        }

        init(process: pid_t, name: CommandName?) { (self.process, self.name) = (process, name) }

        /// The holder by the record in the file. Nil for none, and for a process that has ended: it was killed, and the
        /// holder has not written its own record yet, or cannot.
        static func recorded(in descriptor: Int32) -> Holder? {
            var octets = [UInt8](repeating: 0, count: maximumCount)
            let count = pread(descriptor, &octets, octets.count, 0)
            guard count > 0, let holder = Holder(String(decoding: octets[..<count], as: UTF8.self)) else { return nil }
            return kill(holder.process, 0) == 0 || errno == EPERM ? holder : nil
        }

        /// The reason to refuse, with the remedy.
        static func refusal(_ holder: Holder?, _ state: StateDirectory) -> ReaderdError {
            let time = "\(patience.components.seconds) s"
            guard let holder else {
                return .failed(
                    "\(state.path): still in use by another process after \(time); end it (to find it: fuser "
                        + "\(state.file(fileName))), or try again")
            }
            let process = "(process \(holder.process))"
            return switch holder.name {
            case .run:
                .failed(
                    "\(state.path): in use by a readerd \(process); stop it first (service: systemctl stop readerd)")
            case .some(let name):
                .failed(
                    "\(state.path): still in use by readerd \(name.rawValue) \(process) after \(time); try again when "
                        + "that has ended")
            case nil:
                .failed("\(state.path): still in use by a readerd \(process) after \(time); end it, or try again")
            }
        }
    }
}
