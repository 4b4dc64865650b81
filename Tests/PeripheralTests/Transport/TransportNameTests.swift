// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Peripheral

@Suite struct TransportNameTests {
    @Test func readsTheNamesOfTheContract() throws {
        let table: [(String, TransportName)] = [
            ("hci-socket:0", .hciSocket(0)),
            ("hci-socket:65534", .hciSocket(65534)),
            ("hci-socket:00:1A:7D:DA:71:13", .hciSocket(.address(0x001A_7DDA_7113))),
            ("hci-socket:usb-1-1.4", .hciSocket(.usb("1-1.4"))),
            ("hci-socket:usb-10-3", .hciSocket(.usb("10-3"))),
            ("serial:/dev/ttyS1,115200", .serial(path: "/dev/ttyS1", baud: 115_200, flowControl: false)),
            ("serial:/dev/ttyAMA0,3000000,rtscts", .serial(path: "/dev/ttyAMA0", baud: 3_000_000, flowControl: true)),
            (
                "serial:/dev/serial/by-id/usb:1-0,9600",
                .serial(path: "/dev/serial/by-id/usb:1-0", baud: 9600, flowControl: false)
            ),
            ("tcp-client:127.0.0.1:6402", .tcpClient(host: "127.0.0.1", port: 6402)),
            ("tcp-client:lab.example:1", .tcpClient(host: "lab.example", port: 1)),
            ("tcp-client:[::1]:65535", .tcpClient(host: "::1", port: 65535)),
            ("netsim", .netsim(instance: 1)),
            ("netsim:2", .netsim(instance: 2)),
            ("netsim:59134", .netsim(instance: 59134)),
            ("unix:/run/hci", .unix(path: "/run/hci")),
            ("unix:hci", .unix(path: "hci")),
            ("unix:@hci:0", .unix(path: "@hci:0")),
            ("unix:" + String(repeating: "p", count: 107), .unix(path: String(repeating: "p", count: 107))),
        ]
        for (text, name) in table {
            #expect(try TransportName(text) == name)
            // The description can be parsed again.
            #expect(name.description == text)
        }
    }

    @Test func refusesEverythingElseWithItsReason() {
        let table: [(String, TransportNameError)] = [
            ("", .unknown("")),
            ("hci0", .unknown("hci0")),
            ("usb:0", .unknown("usb:0")),
            ("HCI-SOCKET:0", .unknown("HCI-SOCKET:0")),
            ("virtual", .onlyInLab),
            ("virtual:1", .onlyInLab),
            ("hci-socket", .unknown("hci-socket")),
            ("hci-socket:", .adapter("")),
            ("hci-socket:-1", .adapter("-1")),
            ("hci-socket:+1", .adapter("+1")),
            ("hci-socket:1 ", .adapter("1 ")),
            ("hci-socket:hci0", .adapter("hci0")),
            ("hci-socket:65535", .adapter("65535")),
            ("hci-socket:00:1A:7D:DA:71", .adapter("00:1A:7D:DA:71")),
            ("hci-socket:00:1A:7D:DA:71:1", .adapter("00:1A:7D:DA:71:1")),
            ("hci-socket:00:1A:7D:DA:71:13:00", .adapter("00:1A:7D:DA:71:13:00")),
            ("hci-socket:00:1A:7D:DA:71:+3", .adapter("00:1A:7D:DA:71:+3")),
            ("hci-socket:00-1A-7D-DA-71-13", .adapter("00-1A-7D-DA-71-13")),
            ("hci-socket:usb-", .adapter("usb-")),
            ("hci-socket:usb-1", .adapter("usb-1")),
            ("hci-socket:usb-1-", .adapter("usb-1-")),
            ("hci-socket:usb-1-1.", .adapter("usb-1-1.")),
            ("hci-socket:usb-1-0", .adapter("usb-1-0")),
            ("hci-socket:usb-1-1:1.0", .adapter("usb-1-1:1.0")),
            ("hci-socket:usb-1-1/../2", .adapter("usb-1-1/../2")),
            ("hci-socket:usb-1-1.1.1.1.1.1.1.1", .adapter("usb-1-1.1.1.1.1.1.1.1")),
            ("hci-socket:65536", .adapter("65536")),
            ("serial:", .serialForm("")),
            ("serial:/dev/ttyS1", .serialForm("/dev/ttyS1")),
            ("serial:ttyS1,115200", .serialPath("ttyS1")),
            ("serial:,115200", .serialPath("")),
            ("serial:/dev/tty\0S1,115200", .serialPath("/dev/tty\0S1")),
            ("serial:/dev/ttyS1,", .baud("")),
            ("serial:/dev/ttyS1,fast", .baud("fast")),
            ("serial:/dev/ttyS1,9599", .baud("9599")),
            ("serial:/dev/ttyS1,4000001", .baud("4000001")),
            ("serial:/dev/ttyS1,99999999999", .baud("99999999999")),
            ("serial:/dev/ttyS1,115200,", .serialOption("")),
            ("serial:/dev/ttyS1,115200,xonxoff", .serialOption("xonxoff")),
            ("serial:/dev/ttyS1,115200,rtscts,8N1", .serialOption("rtscts")),
            ("tcp-client:", .tcpForm("")),
            ("tcp-client:localhost", .tcpForm("localhost")),
            ("tcp-client::6402", .tcpForm(":6402")),
            ("tcp-client:::1:6402", .tcpForm("::1:6402")),
            ("tcp-client:[::1:6402", .tcpForm("[::1:6402")),
            ("tcp-client:[]:6402", .tcpForm("[]:6402")),
            ("tcp-client:localhost:", .port("")),
            ("tcp-client:localhost:0", .port("0")),
            ("tcp-client:localhost:65536", .port("65536")),
            ("tcp-client:localhost:http", .port("http")),
            ("netsim:", .netsimInstance("")),
            ("netsim:0", .netsimInstance("0")),
            ("netsim:59135", .netsimInstance("59135")),
            ("netsim:+1", .netsimInstance("+1")),
            ("netsim:default", .netsimInstance("default")),
            ("unix:", .unixPath),
            ("unix:@", .unixPath),
            ("unix:/run/\0hci", .unixPath),
            ("unix:" + String(repeating: "p", count: 108), .unixPathTooLong(108)),
        ]
        for (text, error) in table {
            #expect(throws: error, "\(text)") { try TransportName(text) }
            #expect(!error.description.contains("\n"))
        }
    }

    @Test func lowerCaseAddressIsTheSame() throws {
        #expect(try TransportName("hci-socket:00:1a:7d:da:71:13").description == "hci-socket:00:1A:7D:DA:71:13")
    }

    @Test func theErrorSaysWhatToWrite() {
        #expect(
            TransportNameError.onlyInLab.description
                == "the transport \"virtual\" exists only in readerlab; write hci-socket:0 for the first adapter")
        #expect(
            TransportNameError.adapter("x").description
                == "\"x\" is not an adapter; write hci-socket:N with N from 0 to 65534, its address as "
                + "hci-socket:00:1A:7D:DA:71:13, or its USB port as hci-socket:usb-1-1.4")
        // Input cannot break the line.
        #expect(!TransportNameError.unknown("a\nb").description.contains("\n"))
    }
}
