// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Logging
import Reader
import System

/// The list of the cards that open the door, read at the start and at each reload.
final class ReaderCards: ReaderService {
    unowned let process: ReaderProcess

    init(_ process: ReaderProcess) { self.process = process }

    func start() { load() }

    /// Reads the list. Without a readable one no card opens: an old list has cards that were removed since.
    func load() {
        guard let path = settings.credentials.cards else { return }
        do throws(ReaderdError) {
            let list = try CardListFile.load(path).list
            process.device.reader.cardList = list
            log.notice("cards: \(list.count) in \(path)")
            clear(.cardsUnreadable)
        } catch {
            process.device.reader.cardList = nil
            raise(.cardsUnreadable, "credentials.cards: \(error); cards are refused: correct it, and reload")
        }
    }
}

extension CardListFile {
    /// Reads the file at `path`.
    static func load(_ path: String) throws(ReaderdError) -> CardListFile {
        guard let contents = try FileContents.read(path, maximumCount: maximumCount) else {
            throw .failed("\(path): no such file; make it with readerlab credentials pkoc add")
        }
        do throws(JSONPlaceFault) { return try CardListFile(contents.octets) } catch {
            throw .failed("\(path):\(error)")
        }
    }
}
