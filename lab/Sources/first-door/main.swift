// SPDX-License-Identifier: Apache-2.0

// `readerlab demo` alone, so that a first build compiles only the reader, the air and the phones.
import ArgumentParser
import Demo

DemoCommand.main()
