// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ArgumentParser
    import DevicePage

    /// `readerlab web`: a page for a program of `readerlab` that runs until it is ended.
    struct WebCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "web",
            abstract: "A page that shows a device or the air, with buttons for faults.",
            discussion: """
                Runs another command of readerlab, and shows in a browser what it prints: links, timeline, findings, \
                and buttons for what can be typed. Open the address that is printed first; its token is new with \
                each run.

                  readerlab web emulate bandit --listen 127.0.0.1:8080
                  readerlab web --listen 127.0.0.1:8400 emulate reader --hci hci-socket:0
                  readerlab web demo
                  readerlab web scenario next-room
                  readerlab web air
                  readerlab web pins --in lock=gpiochip0:5 --out rex=gpiochip0:6
                  readerlab web watch --control /run/readerd/control.sock
                  readerlab web fleet collect --broker mqtt.example --ca ca.pem …

                Only this machine reaches the page unless --listen names another address. There it is not encrypted: \
                an eavesdropper has the token. What is typed in the terminal goes to the program too.
                """)

        @Option(help: ArgumentHelp("Where the page is; port 0 is a free one.", valueName: "ADDRESS:PORT"))
        var listen = "127.0.0.1:8300"

        @Flag(help: "One JSON object a line, as the program prints them.")
        var json = false

        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp(
                "The command: demo, scenario NAME, emulate KIND …, air …, pins …, watch … or fleet collect …, "
                    + "with its options.",
                valueName: "COMMAND"))
        var command: [String]

        func validate() throws {
            guard let first = command.first, !["--help", "-h", "help"].contains(first) else {
                throw CleanExit.helpRequest(self)
            }
            _ = try program()
        }

        /// The program with the page of the command.
        private func program() throws -> WebProgram {
            guard let plan = WebPlan(command) else {
                throw ValidationError(
                    "\(command.first?.debugDescription ?? "nothing") has no page; write emulate KIND …, demo, "
                        + "scenario NAME, air …, pins …, watch … or fleet collect …"
                )
            }
            guard let program = WebProgram(plan, at: listen, json: json) else {
                throw ValidationError(
                    "--listen \(listen.debugDescription): write a numerical address and a port, as 127.0.0.1:8300")
            }
            return program
        }

        func run() throws {
            let code = try program().run()
            if code != 0 { throw ExitCode(code) }
        }
    }
#endif
