// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import JSON
import Logging
import Reader
import System

/// The list of the cards that open the door, and the keys that read them, read at the start and at each reload.
final class ReaderCards: ReaderService {
    unowned let process: ReaderProcess
    /// The list of the site; nil if it cannot be read.
    private(set) var site: CardList? = CardList()
    /// The cards of another source, and the origins of its issuers by their points.
    private var others: (cards: [ListedCard], issuers: [[UInt8]: String]) = ([], [:])

    init(_ process: ReaderProcess) { self.process = process }

    func start() { load() }

    /// Reads the list and the keys.
    func load() {
        loadList()
        loadDESFireKeys()
    }

    /// Replaces the cards of the other source, and the origins of its issuers by their points.
    func setOthers(_ cards: [ListedCard], issuers: [[UInt8]: String]) {
        others = (cards, issuers)
        apply()
    }

    /// Gives the reader the cards of both sources.
    private func apply() {
        var list = site
        list?.add(others.cards, issuers: others.issuers)
        process.device.reader.cardList = list
    }

    /// Reads the list. Without a readable one no card opens: an old list has cards that were removed since.
    private func loadList() {
        guard let path = settings.credentials.cards else { return }
        defer { apply() }
        do throws(ReaderdError) {
            let list = try CardListFile.load(path).list
            site = list
            log.notice("cards: \(list.count) in \(path)")
            clear(.cardsUnreadable)
        } catch {
            site = nil
            raise(.cardsUnreadable, "credentials.cards: \(error); cards are refused: correct it, and reload")
        }
    }

    /// Reads the keys of DESFire cards. Without readable ones these cards are refused, also by earlier keys: a key that
    /// was removed is not to be used.
    private func loadDESFireKeys() {
        guard settings.credentials.cardKinds.contains(.desfire) else { return }
        do throws(DESFireKeyFault) {
            process.device.reader.desfire = try settings.desfire.load()
            clear(.desfireKeyUnreadable)
        } catch {
            process.device.reader.desfire = nil
            raise(
                .desfireKeyUnreadable,
                "\(error.setting): \(error.text); DESFire cards are refused: correct it, and reload")
        }
    }
}

extension CardListFile {
    /// Reads the file at `path`.
    static func load(_ path: String) throws(ReaderdError) -> CardListFile {
        guard let file = try load(existing: path) else {
            throw .failed("\(path): no such file; make it with readerlab credentials")
        }
        return file
    }

    /// Reads the file at `path`; nil if it does not exist.
    static func load(existing path: String) throws(ReaderdError) -> CardListFile? {
        guard let contents = try FileContents.read(path, maximumCount: maximumCount) else { return nil }
        do throws(JSONPlaceFault) { return try CardListFile(contents.octets) } catch {
            throw .failed("\(path):\(error)")
        }
    }
}
