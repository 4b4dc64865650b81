// The kernel's own termios2 knows every rate; its header and glibc's <termios.h> exclude each other.
#include "readerd_serial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
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

int readerd_serial_configure(int descriptor, uint32_t baud, bool flow_control) {
    struct termios2 setting;
    if (ioctl(descriptor, TCGETS2, &setting) < 0) return -errno;
    setting.c_iflag = 0;
    setting.c_oflag = 0;
    setting.c_lflag = 0;
    setting.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | CSTOPB | CRTSCTS | CBAUD | (CBAUD << IBSHIFT));
    setting.c_cflag |= CS8 | CREAD | CLOCAL | BOTHER | (BOTHER << IBSHIFT);
    if (flow_control) setting.c_cflag |= CRTSCTS;
    setting.c_ispeed = baud;
    setting.c_ospeed = baud;
    // A read with nothing there is EAGAIN; 0 then always means that the line is gone.
    setting.c_cc[VMIN] = 1;
    setting.c_cc[VTIME] = 0;
    if (ioctl(descriptor, TCSETS2, &setting) < 0) return -errno;
    return ioctl(descriptor, TCFLSH, TCIOFLUSH) < 0 ? -errno : 0;
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
