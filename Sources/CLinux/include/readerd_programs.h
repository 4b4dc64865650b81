// SPDX-License-Identifier: Apache-2.0

// Starting programs that may outlive this process, and their results, without blocking.
#ifndef READERD_PROGRAMS_H
#define READERD_PROGRAMS_H

#include <stdint.h>

/// A started program. The caller closes the descriptors.
struct readerd_program {
    /// The process id.
    int32_t process;
    /// A pidfd: readable when the process has ended.
    int descriptor;
    /// Its standard output and standard error, non-blocking.
    int output;
    /// Readable once exec has succeeded or failed: the end, or the errno as an int. Non-blocking.
    int report;
};

/// Starts the program arguments[0] with this environment, both terminated by NULL: in its own session, in the
/// directory /, with no other descriptors than /dev/null and the output, no capabilities, no blocked signals, and
/// SIGPIPE ignored, so that unread output is an error for it, and does not terminate it. Does not wait for exec:
/// `report` ends then. 0, or the negated errno.
int readerd_program_start(
    const char *const arguments[], const char *const environment[], struct readerd_program *program);

/// The end of a program: 0 while it is running, 1 with its exit status or, if killed by a signal, 256 plus its
/// number; -ECHILD if it is not a child of this process.
int readerd_program_ended(int descriptor, int *status);

/// A pidfd of any process; -ESRCH if it does not exist.
int readerd_process_open(int32_t process);

#endif
