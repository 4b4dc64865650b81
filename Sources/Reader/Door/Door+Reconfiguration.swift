extension Door {
    /// Takes other times and policies. What runs keeps the end that it was given, and the fail mode stays: the lines
    /// were taken with it.
    public mutating func reconfigure(_ configuration: DoorConfiguration) {
        let failMode = self.configuration.failMode
        self.configuration = configuration
        self.configuration.failMode = failMode
        contact.times = configuration.contact
        lockout.rule = configuration.lockout
    }
}
