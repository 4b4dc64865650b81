// Starting a program that may outlive this process, and learning how it ended, without waiting for either.
#ifndef READERD_PROGRAMS_H
#define READERD_PROGRAMS_H

#include <stdint.h>

/// A program that was started. The descriptors are the caller's to close.
struct readerd_program {
    /// Its process.
    int32_t process;
    /// A pidfd: readable when it has ended.
    int descriptor;
    /// What it writes to standard output and standard error, non-blocking.
    int output;
    /// Readable once it has become the program, or cannot: nothing then, or the errno as an int. Non-blocking.
    int report;
};

/// Starts the program arguments[0] with this environment, both ending with NULL: in a session of its own, in the
/// directory /, with no other descriptors than /dev/null and the output, no capability, no signal blocked, and SIGPIPE
/// ignored, so that output that nobody reads any more is an error to it and not its end. Does not wait for the program to
/// be loaded: `report` ends when it is. 0, or the negated errno.
int readerd_program_start(
    const char *const arguments[], const char *const environment[], struct readerd_program *program);

/// How a program ended: 0 while it has not, 1 with its exit status or, killed by a signal, 256 and that; -ECHILD if
/// it is no child of this process.
int readerd_program_ended(int descriptor, int *status);

/// A pidfd of any process; -ESRCH if there is none.
int readerd_process_open(int32_t process);

#endif
