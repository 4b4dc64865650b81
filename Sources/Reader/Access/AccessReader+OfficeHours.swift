import Timekeeping

/// The office hours, which open and secure the door by the clock.
extension AccessReader {
    /// Opens or secures the door as the office hours say, and comes again with the next minute: hours begin and end
    /// with one, and so does daylight saving. A clock that is stepped is seen within a minute as well. Without a set
    /// clock there are no hours.
    mutating func followOfficeHours(at moment: Moment) {
        guard let due = officeHoursDue, due <= moment.instant else { return }
        let zone = configuration.zone
        let local = moment.epochSeconds.map(zone.civilTime)
        officeHoursDue = moment.instant + .seconds(60 - (local?.second ?? 0))
        door.schedule(
            isOpen: local.map(configuration.officeHours.isOpen) ?? false, at: moment.instant, into: &doorActions)
    }
}
