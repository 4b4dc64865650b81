#ifndef CGPIO_H
#define CGPIO_H

// Output lines of Linux GPIO chips, over libgpiod 1.x or 2.x: whichever header is installed when this is compiled.
// One thread at a time may use an output; nothing here blocks on anything but the kernel's ioctl.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What became of a call. The `error` that comes with it is an errno, or 0 where none applies.
enum readerd_gpio_outcome {
    READERD_GPIO_OK = 0,
    // The chip's device cannot be opened, or is not a GPIO chip.
    READERD_GPIO_CHIP_FAILED,
    // The chip is there but has fewer lines than the offset asks for.
    READERD_GPIO_NO_SUCH_OFFSET,
    // No chip has a line with this name. With `error` set, a chip could not be opened, which may be the one.
    READERD_GPIO_NO_SUCH_NAME,
    // More than one line has this name.
    READERD_GPIO_AMBIGUOUS_NAME,
    // The kernel refused the line: EBUSY if someone else has it.
    READERD_GPIO_REQUEST_FAILED,
    // Reading or writing the line failed.
    READERD_GPIO_ACCESS_FAILED,
    // No memory.
    READERD_GPIO_NO_MEMORY,
};

// Longest path of a chip's device with its terminating zero.
#define READERD_GPIO_PATH_SIZE 64

// Where a line is.
struct readerd_gpio_place {
    // Path of the chip's device, "/dev/gpiochip0".
    char chip[READERD_GPIO_PATH_SIZE];
    // The line's number on the chip.
    uint32_t offset;
};

// A line held as an output.
struct readerd_gpio_output;

// Looks through every /dev/gpiochip* for the line called `name`.
enum readerd_gpio_outcome readerd_gpio_find(const char *name, struct readerd_gpio_place *place, int *error);

// Takes the line as an output and drives it to `active` in the same request, so that it has no third state in
// between. With `active_low` an active line is at the low level.
enum readerd_gpio_outcome readerd_gpio_open_output(
    const struct readerd_gpio_place *place, bool active_low, bool active, struct readerd_gpio_output **output,
    int *error);

// Drives the line.
enum readerd_gpio_outcome readerd_gpio_set(struct readerd_gpio_output *output, bool active, int *error);

// What the kernel reads on the line.
enum readerd_gpio_outcome readerd_gpio_get(struct readerd_gpio_output *output, bool *active, int *error);

// Gives the line back; what level it keeps then is the driver's choice. `output` may be NULL.
void readerd_gpio_close(struct readerd_gpio_output *output);

// The API that this was compiled against: 1 or 2.
int readerd_gpio_api(void);

#ifdef __cplusplus
}
#endif

#endif
