#ifndef CGPIO_H
#define CGPIO_H

// Output and input lines of Linux GPIO chips, over libgpiod 1.x or 2.x: whichever header is installed when this is compiled.
// One thread at a time may use a line; nothing here blocks on anything but the kernel's ioctl.

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
    // Nothing has happened on the line since it was last asked.
    READERD_GPIO_NO_EDGE,
};

// What the chip does to a line that nothing drives.
enum readerd_gpio_bias {
    READERD_GPIO_BIAS_AS_IS = 0,
    READERD_GPIO_BIAS_PULL_UP,
    READERD_GPIO_BIAS_PULL_DOWN,
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

// Longest name of whoever holds a line, with its terminating zero: GPIO_MAX_NAME_SIZE of the kernel.
#define READERD_GPIO_HOLDER_SIZE 32

// What the kernel tells of a line without its being taken.
struct readerd_gpio_state {
    // Whether a process or a driver holds it.
    bool is_held;
    // Who, as it calls itself; empty if it does not say.
    char holder[READERD_GPIO_HOLDER_SIZE];
};

// Asks the kernel about the line, and changes nothing.
enum readerd_gpio_outcome readerd_gpio_look(
    const struct readerd_gpio_place *place, struct readerd_gpio_state *state, int *error);

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

// A line held as an input whose edges the kernel collects.
struct readerd_gpio_input;

// Takes the line as an input. With `active_low` the low level is active. A chip that cannot pull as asked refuses.
enum readerd_gpio_outcome readerd_gpio_open_input(
    const struct readerd_gpio_place *place, bool active_low, enum readerd_gpio_bias bias,
    struct readerd_gpio_input **input, int *error);

// Readable while there are edges; in error when the chip is gone. Belongs to the input.
int readerd_gpio_input_descriptor(struct readerd_gpio_input *input);

// The level now.
enum readerd_gpio_outcome readerd_gpio_input_get(struct readerd_gpio_input *input, bool *active, int *error);

// Takes the oldest edge that the kernel has collected, without waiting: whether the line became active, and the
// kernel's time of it in nanoseconds (CLOCK_MONOTONIC from Linux 5.7 on).
enum readerd_gpio_outcome readerd_gpio_next_edge(
    struct readerd_gpio_input *input, bool *active, uint64_t *nanoseconds, int *error);

// Gives the line back. `input` may be NULL.
void readerd_gpio_close_input(struct readerd_gpio_input *input);

// The API that this was compiled against: 1 or 2.
int readerd_gpio_api(void);

#ifdef __cplusplus
}
#endif

#endif
