// SPDX-License-Identifier: Apache-2.0

// The kernel's termios2 supports every rate; its header and glibc's <termios.h> exclude each other.
#include "readerd_serial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <sys/ioctl.h>
#include <unistd.h>

int readerd_serial_open(const char *path) {
    int descriptor;
    do descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return -errno;
    struct termios2 setting;
    if (ioctl(descriptor, TCGETS2, &setting) < 0 || ioctl(descriptor, TIOCEXCL) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

/// Returns the constant of a rate that has one, since other programs can read that back; otherwise BOTHER.
static tcflag_t rate_constant(uint32_t baud) {
    switch (baud) {
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 500000: return B500000;
    case 576000: return B576000;
    case 921600: return B921600;
    case 1000000: return B1000000;
    case 1152000: return B1152000;
    case 1500000: return B1500000;
    case 2000000: return B2000000;
    case 2500000: return B2500000;
    case 3000000: return B3000000;
    case 3500000: return B3500000;
    case 4000000: return B4000000;
    default: return BOTHER;
    }
}

int readerd_serial_configure(int descriptor, uint32_t baud, bool flow_control) {
    struct termios2 setting;
    if (ioctl(descriptor, TCGETS2, &setting) < 0) return -errno;
    setting.c_iflag = 0;
    setting.c_oflag = 0;
    setting.c_lflag = 0;
    setting.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | CSTOPB | CRTSCTS | CBAUD | (CBAUD << IBSHIFT));
    tcflag_t rate = rate_constant(baud);
    setting.c_cflag |= CS8 | CREAD | CLOCAL | rate | (rate << IBSHIFT);
    if (flow_control) setting.c_cflag |= CRTSCTS;
    setting.c_ispeed = baud;
    setting.c_ospeed = baud;
    // A read without data is EAGAIN, so that 0 always means a hang-up.
    setting.c_cc[VMIN] = 1;
    setting.c_cc[VTIME] = 0;
    if (ioctl(descriptor, TCSETS2, &setting) < 0) return -errno;
    return ioctl(descriptor, TCFLSH, TCIOFLUSH) < 0 ? -errno : 0;
}

int readerd_serial_speed(int descriptor, uint32_t baud) {
    struct termios2 setting;
    if (ioctl(descriptor, TCGETS2, &setting) < 0) return -errno;
    setting.c_cflag &= ~(tcflag_t)(CBAUD | (CBAUD << IBSHIFT));
    tcflag_t rate = rate_constant(baud);
    setting.c_cflag |= rate | (rate << IBSHIFT);
    setting.c_ispeed = baud;
    setting.c_ospeed = baud;
    return ioctl(descriptor, TCSETS2, &setting) < 0 ? -errno : 0;
}

int readerd_serial_turn(int descriptor) {
    struct serial_rs485 setting = {.flags = SER_RS485_ENABLED | SER_RS485_RTS_ON_SEND};
    return ioctl(descriptor, TIOCSRS485, &setting) < 0 ? -errno : 0;
}

int readerd_serial_settings(int descriptor, uint32_t *baud, bool *flow_control, bool *raw) {
    struct termios2 setting;
    if (ioctl(descriptor, TCGETS2, &setting) < 0) return -errno;
    *baud = setting.c_ospeed;
    *flow_control = (setting.c_cflag & CRTSCTS) != 0;
    *raw = setting.c_iflag == 0 && setting.c_oflag == 0 && setting.c_lflag == 0
        && (setting.c_cflag & (CSIZE | PARENB | CSTOPB)) == CS8;
    return 0;
}
