// SPDX-License-Identifier: Apache-2.0

/// The requests of controllers in their order, in the notation of TLV: a line for each message.
///
/// `pase` and `case` begin a session with these session parameters. `read`, `write`, `invoke`, `timed` and `subscribe`
/// are messages of the interaction model with their whole payload; after `=>` follows the required outcome. `$noc`,
/// `$root`, `$ipk` and `$nonce` stand for octets that differ from run to run.
enum ControllerTraces {
    /// The CHIP project's controller (home-assistant-chip-core), as recorded with a lock of another manufacturer's
    /// software; Apache-2.0. Left out: the intermediate certificate of its authority, which is never empty, and
    /// requests to clusters that the lock here lacks.
    static let chip = """
        pase {1=500 2=300 3=4000 4=19 5=12 6=17039872 7=1}
        read {0=[<2=0 3=48 4=4> <2=0 3=48 4=0> <2=0 3=48 4=1> <2=0 3=48 4=2> <2=0 3=48 4=3> <2=0 3=40 4=2> <2=0 3=40 4=4> <2=0 3=56> <3=49 4=65532>] 3=false 255=12} => 0/48/4 true, 0/48/0 0, 0/48/1 {0=60 1=900}, 0/48/2 2, 0/48/3 2, 0/40/2 65521, 0/40/4 32769, 0/49/65532 4
        read {0=[<3=49 4=3> <2=0 3=70 4=6> <2=0 3=70 4=7> <2=0 3=70 4=0> <2=0 3=70 4=1> <2=0 3=70 4=2>] 3=false 255=12} => 0/70/6 status 195, 0/70/7 status 195, 0/70/0 status 195, 0/70/1 status 195, 0/70/2 status 195
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=60 1=3}}] 255=12} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=2> 1={0=2 1="XX" 2=4}}] 255=12} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=2}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=1}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=0> 1={0=$nonce}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=4> 1={0=$nonce}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=11> 1={0=$root}}] 255=12} => status 0
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=6> 1={0=$noc 2=$ipk 3=112233 4=65521}}] 255=12} => {0=0 1=1}
        case {1=500 2=300 3=4000 4=19 5=12 6=17039872 7=1}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=4> 1={}}] 255=12} => {0=0 1=""}
        read {0=[<>] 3=true 255=12} => 0/
        read {1=[<>] 3=true 255=12} =>
        subscribe {0=false 1=0 2=10 3=[<>] 4=[<4=true>] 7=true 255=12} => 1/257/0 1
        timed {0=1000 255=12}
        invoke {0=false 1=true 2=[{0=<0=1 1=257 2=1> 1={}}] 255=12} => status 0
        report => 1/257/0 2
        timed {0=1000 255=12}
        invoke {0=false 1=true 2=[{0=<0=1 1=257 2=0> 1={}}] 255=12} => status 0
        report => 1/257/0 1
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=9> 1={0="lab"}}] 255=12} => {0=0 1=1}
        report => 0/62/1 [
        write {0=false 1=false 2=[{1=<2=0 3=40 4=5> 2="door"}] 3=false 255=12} => 0
        report => 0/40/5 "door"
        write {0=false 1=false 2=[{1=<2=0 3=40 4=1> 2="x"}] 3=false 255=12} => 136
        invoke {0=false 1=false 2=[{0=<0=1 1=6 2=1> 1={}}] 255=12} => status 195
        read {0=[<2=0 3=31 4=0>] 3=true 255=12} => 0/31/0 [{1=5 2=2 3=[112233] 4=null 254=1}]
        """

    /// A controller that behaves as matter.js does: written by hand after its published source (project-chip/matter.js,
    /// ControllerCommissioningFlow and the interaction client), since it cannot run here; not a recording. Lists of
    /// paths one by one, an empty intermediate certificate, the fail-safe extended before the change to CASE, all
    /// attributes and events in one read, and a subscription with filters of data versions.
    static let matterJS = """
        pase {1=500 2=300 3=4000 4=21 5=12 6=17170432 7=10 8=0}
        read {0=[<2=0 3=62 4=2>] 3=true 255=12} => 0/62/2 5
        read {0=[<2=0 3=62 4=3>] 3=true 255=12} => 0/62/3 0
        read {0=[<2=0 3=29 4=3>] 3=true 255=12} => 0/29/3 [1]
        read {0=[<2=0 3=29 4=1>] 3=true 255=12} => 0/29/1 [
        read {0=[<2=0 3=40 4=2> <2=0 3=40 4=4> <2=0 3=40 4=3>] 3=true 255=12} => 0/40/2 65521, 0/40/4 32769, 0/40/3 "
        read {0=[<2=0 3=48 4=4>] 3=true 255=12} => 0/48/4 true
        read {0=[<3=49 4=65532> <3=49 4=0>] 3=true 255=12} => 0/49/65532 4
        read {0=[<3=42 4=0>] 3=true 255=12} =>
        read {0=[<2=0 3=48 4=1>] 3=true 255=12} => 0/48/1 {0=60 1=900}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=60 1=1}}] 255=12} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=1}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=2}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=0> 1={0=$nonce}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=4> 1={0=$nonce}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=11> 1={0=$root}}] 255=12} => status 0
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=6> 1={0=$noc 1=h"" 2=$ipk 3=112233 4=65521}}] 255=12} => {0=0 1=1}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=310 1=1}}] 255=12} => {0=0 1=""}
        case {1=500 2=300 3=4000 4=21 5=12 6=17170432 7=10 8=0}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=4> 1={}}] 255=12} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=9> 1={0="matter.js fabric"}}] 255=12} => {0=0 1=1}
        read {0=[<>] 1=[<>] 3=true 255=12} => 0/
        subscribe {0=false 1=1 2=60 3=[<>] 4=[<4=true>] 5=[{1=0}] 7=true 8=$versions 255=12} =>
        timed {0=10000 255=12}
        invoke {0=false 1=true 2=[{0=<0=1 1=257 2=1> 1={}}] 255=12} => status 0
        report => 1/257/0 2
        alive
        """

    /// The order of a hub as a public report describes it (arendst/Tasmota, 23613): the time is set in a cluster that a
    /// device may lack, and the fail-safe is armed again before the certificate request. Written by hand.
    static let hub = """
        pase {1=500 2=300}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=60 1=0}}] 255=11} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=2> 1={0=1 1="XX" 2=1}}] 255=11} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=56 2=0> 1={0=800000000000000 1=2}}] 255=11} => status 195
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=2}}] 255=11} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=1}}] 255=11} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=0> 1={0=$nonce}}] 255=11} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=120 1=3}}] 255=11} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=4> 1={0=$nonce 1=false}}] 255=11} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=11> 1={0=$root}}] 255=11} => status 0
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=6> 1={0=$noc 2=$ipk 3=112233 4=4742}}] 255=11} => {0=0 1=1}
        case {1=500 2=300}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=4> 1={}}] 255=11} => {0=0 1=""}
        """

    /// As `matterJS`, over Bluetooth LE into a Wi-Fi network; written by hand likewise.
    static let matterJSOverBluetooth = """
        pase {1=500 2=300 3=4000 4=21 5=12 6=17170432 7=10 8=0}
        read {0=[<2=0 3=48 4=4>] 3=true 255=12} => 0/48/4 true
        read {0=[<3=49 4=65532> <3=49 4=1>] 3=true 255=12} => 0/49/65532 1, 0/49/1 []
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=60 1=1}}] 255=12} => {0=0 1=""}
        read {0=[<2=0 3=48 4=3>] 3=true 255=12} => 0/48/3 2
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=2> 1={0=2 1="XX" 2=1}}] 255=12} => {0=0 1=""}
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=1}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=2> 1={0=2}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=0> 1={0=$nonce}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=4> 1={0=$nonce}}] 255=12} => {0=
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=11> 1={0=$root}}] 255=12} => status 0
        invoke {0=false 1=false 2=[{0=<0=0 1=62 2=6> 1={0=$noc 1=h"" 2=$ipk 3=112233 4=65521}}] 255=12} => {0=0 1=1}
        invoke {0=false 1=false 2=[{0=<0=0 1=49 2=0> 1={0=h"486f6d65" 1=2}}] 255=12} => scan {0=0 2=[{0=8 1=h"486f6d65"
        invoke {0=false 1=false 2=[{0=<0=0 1=49 2=2> 1={0=h"486f6d65" 1=h"6f70656e20736573616d65" 2=3}}] 255=12} => {0=0 2=0}
        read {0=[<2=0 3=49 4=1>] 3=true 255=12} => 0/49/1 [{0=h"486f6d65" 1=false}]
        invoke {0=false 1=false 2=[{0=<0=0 1=49 2=6> 1={0=h"486f6d65" 1=4}}] 255=12} => join {0=0 2=null}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=0> 1={0=310 1=5}}] 255=12} => {0=0 1=""}
        case {1=500 2=300 3=4000 4=21 5=12 6=17170432 7=10 8=0}
        invoke {0=false 1=false 2=[{0=<0=0 1=48 2=4> 1={}}] 255=12} => {0=0 1=""}
        """
}
