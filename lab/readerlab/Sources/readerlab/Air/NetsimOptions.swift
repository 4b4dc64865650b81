// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulation
import Peripheral
import SharedAir

/// The options of the Android Emulator's radio.
struct NetsimOptions: ParsableArguments {
    @Flag(
        help:
            "Serve PacketStreamer, the radio of the Android Emulator: each Bluetooth chip gets a place, netsim1 and so on."
    )
    var netsim = false

    @Option(help: ArgumentHelp("With --netsim: the number of places for chips.", valueName: "N"))
    var netsimPlaces: Int?

    @Option(
        help: ArgumentHelp(
            "With --netsim: its address and port; port 0, the default, selects a free one.", valueName: "HOST:PORT"))
    var netsimListen: String?

    @Option(
        help: ArgumentHelp(
            "With --netsim: the instance, for netsim.ini (1, the default) or netsim_N.ini.", valueName: "N"))
    var netsimInstance: UInt16?

    /// The places if --netsim-places is not given.
    private static let usualPlaces = 4

    /// The plan; nil without --netsim.
    func plan() throws(CommandFault) -> NetsimPlan? {
        guard netsim else {
            guard netsimPlaces == nil, netsimListen == nil, netsimInstance == nil else {
                throw CommandFault("--netsim-places, --netsim-listen and --netsim-instance need --netsim")
            }
            return nil
        }
        let instance = netsimInstance ?? NetsimPlace.instances.lowerBound
        guard NetsimPlace.instances.contains(instance) else {
            throw CommandFault("--netsim-instance \(instance): write 1 to \(NetsimPlace.instances.upperBound)")
        }
        return try NetsimPlan(
            count: netsimPlaces ?? NetsimOptions.usualPlaces, listen: netsimListen ?? "127.0.0.1:0", instance: instance)
    }
}
