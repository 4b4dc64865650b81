// SPDX-License-Identifier: Apache-2.0

/// The commands' names.
enum CommandName: String, CaseIterable {
    case run
    case checkConfig = "check-config"
    case checkUpdate = "check-update"
    case events
    case provision
    case reset
    case policy
    case selfTest = "self-test"
    case lockOff = "lock-off"
    case aliro
    case pkoc
    case adapter
    case status
    case quiet
    case unlock
    case lockdown
    case tamperReset = "tamper-reset"
    case revoke
    case unrevoke
    case setTime = "set-time"
    case provisioning
    case osdp
    case matter
    case metrics
    case calibrate
}
