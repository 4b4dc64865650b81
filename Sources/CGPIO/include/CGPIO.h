// SPDX-License-Identifier: Apache-2.0

#ifndef CGPIO_H
#define CGPIO_H

// Output and input lines of Linux GPIO chips with libgpiod 1.x or 2.x, according to the header installed at compile
// time. A line may be used by one thread at a time; only the kernel's ioctl blocks.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The outcome of a call. The accompanying `error` is an errno, or 0 if none applies.
enum readerd_gpio_outcome {
    READERD_GPIO_OK = 0,
    // The chip's device cannot be opened, or is not a GPIO chip.
    READERD_GPIO_CHIP_FAILED,
    // The chip has fewer lines than the offset.
    READERD_GPIO_NO_SUCH_OFFSET,
    // No chip has a line with this name. If `error` is set, a chip could not be opened, which may have it.
    READERD_GPIO_NO_SUCH_NAME,
    // More than one line has this name.
    READERD_GPIO_AMBIGUOUS_NAME,
    // The kernel refused the request: EBUSY if the line is in use.
    READERD_GPIO_REQUEST_FAILED,
    // Reading or writing the line failed.
    READERD_GPIO_ACCESS_FAILED,
    // Out of memory.
    READERD_GPIO_NO_MEMORY,
    // No edge is queued.
    READERD_GPIO_NO_EDGE,
};

// The bias of a line that nothing drives.
enum readerd_gpio_bias {
    READERD_GPIO_BIAS_AS_IS = 0,
    READERD_GPIO_BIAS_PULL_UP,
    READERD_GPIO_BIAS_PULL_DOWN,
};

// Maximum length of the path of a chip's device, with its terminating zero.
#define READERD_GPIO_PATH_SIZE 64

// The location of a line.
struct readerd_gpio_place {
    // Path of the chip's device, "/dev/gpiochip0".
    char chip[READERD_GPIO_PATH_SIZE];
    // The offset of the line on the chip.
    uint32_t offset;
};

// A line requested as an output.
struct readerd_gpio_output;

// Searches all /dev/gpiochip* for a line with this name.
enum readerd_gpio_outcome readerd_gpio_find(const char *name, struct readerd_gpio_place *place, int *error);

// Maximum length of the name of a line's holder, with its terminating zero: GPIO_MAX_NAME_SIZE of the kernel.
#define READERD_GPIO_HOLDER_SIZE 32

// The state of a line, queried without requesting it.
struct readerd_gpio_state {
    // True if a process or a kernel driver holds the line.
    bool is_held;
    // The name of the holder; empty if it has none.
    char holder[READERD_GPIO_HOLDER_SIZE];
};

// Queries the state of a line without changing it.
enum readerd_gpio_outcome readerd_gpio_look(
    const struct readerd_gpio_place *place, struct readerd_gpio_state *state, int *error);

// Requests the line as an output and sets it to `active` in the same request, so that there is no intermediate state.
// With `active_low` the low level is active.
enum readerd_gpio_outcome readerd_gpio_open_output(
    const struct readerd_gpio_place *place, bool active_low, bool active, struct readerd_gpio_output **output,
    int *error);

// Sets the line.
enum readerd_gpio_outcome readerd_gpio_set(struct readerd_gpio_output *output, bool active, int *error);

// Reads the line.
enum readerd_gpio_outcome readerd_gpio_get(struct readerd_gpio_output *output, bool *active, int *error);

// Releases the line; its level afterwards is determined by the driver. `output` may be NULL.
void readerd_gpio_close(struct readerd_gpio_output *output);

// A line requested as an input, whose edges the kernel queues.
struct readerd_gpio_input;

// Requests the line as an input. With `active_low` the low level is active. A chip without the requested bias
// refuses.
enum readerd_gpio_outcome readerd_gpio_open_input(
    const struct readerd_gpio_place *place, bool active_low, enum readerd_gpio_bias bias,
    struct readerd_gpio_input **input, int *error);

// Readable while edges are queued; in error when the chip is gone. Owned by the input.
int readerd_gpio_input_descriptor(struct readerd_gpio_input *input);

// The current level.
enum readerd_gpio_outcome readerd_gpio_input_get(struct readerd_gpio_input *input, bool *active, int *error);

// Removes the oldest queued edge without blocking: `active` is true if the line became active, with the kernel's
// timestamp in nanoseconds (CLOCK_MONOTONIC from Linux 5.7 on).
enum readerd_gpio_outcome readerd_gpio_next_edge(
    struct readerd_gpio_input *input, bool *active, uint64_t *nanoseconds, int *error);

// Releases the line. `input` may be NULL.
void readerd_gpio_close_input(struct readerd_gpio_input *input);

// The version of the API at compile time: 1 or 2.
int readerd_gpio_api(void);

#ifdef __cplusplus
}
#endif

#endif
