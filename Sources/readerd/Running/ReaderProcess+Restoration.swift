import AccessProtocol
import Logging
import Reactor
import Reader
import Timekeeping

/// What was kept of an earlier run, and what the store answers.
extension ReaderProcess {
    /// Hands the reader what the store has answered, and what was kept of an earlier run.
    func takeAnswers() {
        if let contents = audit.takeContents() {
            isRestored = true
            adopt(contents.settings[PushedConfiguration.setting])
            operation.updater?.adopt(contents.settings[UpdaterDesk.setting])
            clear(.blacklistUnknown)
            beginClock(contents.clockMarks, lastEvent: contents.lastEvent)
            noticeClockFloor(isKnown: contents.isLastEventKnown)
            let left = device.restore(contents.blacklist, at: moment)
            faults.set(
                .blacklistTooSmall, left > 0, at: moment,
                "\(left) entries of the stored blacklist are left out: raise credentials.blacklist-capacity, and restart"
            )
        } else if audit.cannotReadContents {
            goOnWithout()
        }
        if audit.wantsBlacklist() {
            audit.ask(StorageRequest(id: nil, work: .blacklist(.replace(device.blacklistRows))))
        }
        while let (id, answer) = audit.nextAnswer() { device.answerStorage(id, answer, at: moment) }
        wall.use(device.zone)
        if let events = audit.takeCarried() { device.setEventsToCarry(events) }
    }

    /// Takes over what a backend has pushed in an earlier run.
    func adopt(_ kept: [UInt8]?) {
        guard let kept else { return }
        do throws(StatusCode) {
            try device.adopt(try PushedConfiguration(kept: kept), at: moment)
            wall.use(device.zone)
            clear(.pushedConfigurationUnusable)
            log.notice("a pushed configuration comes before the file's")
        } catch {
            raise(
                .pushedConfigurationUnusable,
                "the configuration that was pushed cannot be used any more (status \(error.rawValue)), and the file's "
                    + "holds: have the backend push it again")
        }
    }

    /// What was kept cannot be read, or not in time: the rest is for the audit's policy, and it is put in when it comes.
    func goOnWithout() {
        guard !isRestored else { return }
        isRestored = true
        raise(
            .blacklistUnknown,
            "the stored blacklist cannot be read: credentials that were called back are not known; see to the disk, and "
                + "restart if this lasts")
        beginClock(.exhausted(latest: 0), lastEvent: audit.timeOfHead)
        noticeClockFloor(isKnown: audit.timeOfHead != nil)
        device.restoreNothing()
        settle()
    }
}
