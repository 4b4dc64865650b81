// SPDX-License-Identifier: Apache-2.0

extension Door {
    /// Applies other times and policies. Running times keep their end, and the fail mode does not change, since the
    /// lines were requested with it.
    public mutating func reconfigure(_ configuration: DoorConfiguration) {
        let failMode = self.configuration.failMode
        self.configuration = configuration
        self.configuration.failMode = failMode
        contact.times = configuration.contact
        lockout.rule = configuration.lockout
    }
}
