// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `readerlab osdp`: the wire to an access panel.
struct OSDPToolCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "osdp",
        abstract: "The wire to an access panel: play a device on it, explain it.",
        discussion: "docs/operate/osdp.md explains the wire, its security and these programs.",
        subcommands: [OSDPDeviceCommand.self, OSDPSniffCommand.self])
}
