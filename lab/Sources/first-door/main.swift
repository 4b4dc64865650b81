// `readerlab demo` alone: a newcomer's first build compiles the reader, the air and the phones, and nothing else.
import ArgumentParser
import Demo

DemoCommand.main()
