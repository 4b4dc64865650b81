public import Timekeeping

/// The contactless side: whoever has a front end hands in what phones send, and sends what comes of it.
extension ReaderDevice {
    /// What phones that touch the reader find.
    public mutating func configureContactless(_ configuration: ContactlessConfiguration) {
        reader.configureContactless(configuration)
    }

    /// A phone was activated, or has left, or the front end is gone: nothing of the phone before counts.
    public mutating func contactlessReset() {
        reader.contactlessReset()
    }

    /// Takes a command APDU of the phone. It gets one response, at the latest `ContactlessConfiguration.patience` later.
    public mutating func receive(command: Span<UInt8>, at moment: Moment) {
        reader.receive(command: command, port: &host, random: &random, at: moment)
        takeEvents(at: moment)
    }

    /// The response to the last command; empty while there is none.
    public var contactlessResponse: [UInt8] { reader.contactlessResponse }
}
