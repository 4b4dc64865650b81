import Glibc

exit(Program(console: .standard).perform(Array(CommandLine.arguments.dropFirst())))
