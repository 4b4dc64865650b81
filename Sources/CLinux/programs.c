// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "readerd_privileges.h"
#include "readerd_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// From linux/sched.h and linux/close_range.h, which conflict with older C libraries.
enum { clone_pidfd = 0x00001000, close_range_cloexec = 1 << 2 };
// P_PIDFD of waitid(2), from Linux 5.4 on; older C libraries do not define it.
enum { wait_for_pidfd = 3 };

// Creates a pipe with both ends above the standard descriptors, so that dup2(2) onto those never closes one of them.
static int make_pipe(int ends[2]) {
    int made[2];
    if (pipe2(made, O_CLOEXEC) < 0) return -errno;
    for (int end = 0; end < 2; end++) {
        ends[end] = made[end] > 2 ? made[end] : fcntl(made[end], F_DUPFD_CLOEXEC, 3);
        if (ends[end] == made[end]) continue;
        int error = errno;
        close(made[end]);
        if (ends[end] >= 0) continue;
        if (end == 1) close(ends[0]);
        else close(made[1]);
        return -error;
    }
    // This process's end only: the program expects a blocking one.
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
}

// Returns true if the result is not a negated errno; otherwise sets errno.
static bool succeeds(int result) {
    if (result < 0) errno = -result;
    return result >= 0;
}

// In the new process. System calls only, since other threads of the former process may have held locks.
static _Noreturn void become(
    const char *const arguments[], const char *const environment[], int output, int report) {
    setsid();
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignored, NULL);
    sigset_t none;
    sigemptyset(&none);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input >= 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2 && chdir("/") == 0
        && sigprocmask(SIG_SETMASK, &none, NULL) == 0 && succeeds(readerd_give_up_capabilities())) {
#ifdef SYS_close_range
        // A library's descriptor may lack FD_CLOEXEC. Before Linux 5.11 this call fails, and only the flags apply.
        syscall(SYS_close_range, 3u, ~0u, (unsigned)close_range_cloexec);
#endif
        execve(arguments[0], (char *const *)arguments, (char *const *)environment);
    }
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
}

int readerd_program_start(
    const char *const arguments[], const char *const environment[], struct readerd_program *program) {
    int output[2], report[2];
    int result = make_pipe(output);
    if (result < 0) return result;
    result = make_pipe(report);
    if (result < 0) {
        close(output[0]);
        close(output[1]);
        return result;
    }
    // fork(2) with a pidfd in the same call, so that no process without one is ever created. The order of the arguments
    // after the third depends on the architecture; they are all zero.
    int descriptor = -1;
    long process = syscall(SYS_clone, (unsigned long)clone_pidfd | SIGCHLD, 0ul, &descriptor, 0ul, 0ul);
    if (process == 0) become(arguments, environment, output[1], report[1]);
    int error = errno;
    close(output[1]);
    close(report[1]);
    if (process < 0) {
        close(output[0]);
        close(report[0]);
        return -error;
    }
    *program = (struct readerd_program){
        .process = (int32_t)process, .descriptor = descriptor, .output = output[0], .report = report[0]};
    return 0;
}

int readerd_program_ended(int descriptor, int *status) {
    siginfo_t info = {0};
    int result;
    do result = waitid((idtype_t)wait_for_pidfd, (id_t)descriptor, &info, WEXITED | WNOHANG);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (info.si_pid == 0) return 0;
    *status = info.si_code == CLD_EXITED ? info.si_status : 256 + info.si_status;
    return 1;
}

int readerd_process_open(int32_t process) {
#ifdef SYS_pidfd_open
    int result = (int)syscall(SYS_pidfd_open, process, 0u);
    return result < 0 ? -errno : result;
#else
    (void)process;
    return -ENOSYS;
#endif
}
