// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#if READERD_GPIO_API == 1

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A requested line with its chip, which has to stay open.
struct held_line {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
};

struct readerd_gpio_output {
    struct held_line held;
};

struct readerd_gpio_input {
    struct held_line held;
};

int readerd_gpio_api(void) { return 1; }

int readerd_gpio_backend_search(const char *path, const char *name, uint32_t *offset, size_t *found)
{
    *found = 0;
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (chip == NULL) return errno;
    int failure = 0;
    unsigned int count = gpiod_chip_num_lines(chip);
    for (unsigned int number = 0; number < count; number++) {
        struct gpiod_line *line = gpiod_chip_get_line(chip, number);
        if (line == NULL) {
            failure = errno;
            continue;
        }
        const char *candidate = gpiod_line_name(line);
        if (candidate == NULL || strcmp(candidate, name) != 0) continue;
        if (*found == 0) *offset = number;
        *found += 1;
    }
    gpiod_chip_close(chip);
    return failure;
}

// The parameters of a line request.
struct wish {
    bool is_input;
    int flags;
    int value;
};

static int request(struct gpiod_line *line, const struct wish *wish)
{
    if (wish->is_input)
        return gpiod_line_request_both_edges_events_flags(line, READERD_GPIO_CONSUMER, wish->flags);
    return gpiod_line_request_output_flags(line, READERD_GPIO_CONSUMER, wish->flags, wish->value);
}

static enum readerd_gpio_outcome hold(
    const struct readerd_gpio_place *place, const struct wish *wish, struct held_line *held, int *error)
{
    *error = 0;
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    if (chip == NULL) {
        *error = errno;
        return READERD_GPIO_CHIP_FAILED;
    }
    enum readerd_gpio_outcome outcome = READERD_GPIO_NO_SUCH_OFFSET;
    if (place->offset < gpiod_chip_num_lines(chip)) {
        struct gpiod_line *line = gpiod_chip_get_line(chip, place->offset);
        if (line != NULL && request(line, wish) == 0) {
            *held = (struct held_line){.chip = chip, .line = line};
            return READERD_GPIO_OK;
        }
        *error = errno;
        outcome = READERD_GPIO_REQUEST_FAILED;
    }
    gpiod_chip_close(chip);
    return outcome;
}

static enum readerd_gpio_outcome get(struct held_line held, bool *active, int *error)
{
    *error = 0;
    int value = gpiod_line_get_value(held.line);
    if (value < 0) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = value != 0;
    return READERD_GPIO_OK;
}

static void give_back(struct held_line held)
{
    gpiod_line_release(held.line);
    gpiod_chip_close(held.chip);
}

enum readerd_gpio_outcome readerd_gpio_open_output(
    const struct readerd_gpio_place *place, bool active_low, bool active, struct readerd_gpio_output **output,
    int *error)
{
    *error = 0;
    struct readerd_gpio_output *opened = malloc(sizeof *opened);
    if (opened == NULL) return READERD_GPIO_NO_MEMORY;
    struct wish wish = {.flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0, .value = active ? 1 : 0};
    enum readerd_gpio_outcome outcome = hold(place, &wish, &opened->held, error);
    if (outcome == READERD_GPIO_OK) *output = opened;
    else free(opened);
    return outcome;
}

enum readerd_gpio_outcome readerd_gpio_set(struct readerd_gpio_output *output, bool active, int *error)
{
    *error = 0;
    if (gpiod_line_set_value(output->held.line, active ? 1 : 0) == 0) return READERD_GPIO_OK;
    *error = errno;
    return READERD_GPIO_ACCESS_FAILED;
}

enum readerd_gpio_outcome readerd_gpio_get(struct readerd_gpio_output *output, bool *active, int *error)
{
    return get(output->held, active, error);
}

void readerd_gpio_close(struct readerd_gpio_output *output)
{
    if (output == NULL) return;
    give_back(output->held);
    free(output);
}

enum readerd_gpio_outcome readerd_gpio_open_input(
    const struct readerd_gpio_place *place, bool active_low, enum readerd_gpio_bias bias,
    struct readerd_gpio_input **input, int *error)
{
    *error = 0;
    struct readerd_gpio_input *opened = malloc(sizeof *opened);
    if (opened == NULL) return READERD_GPIO_NO_MEMORY;
    struct wish wish = {.is_input = true, .flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0};
    if (bias == READERD_GPIO_BIAS_PULL_UP) wish.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    if (bias == READERD_GPIO_BIAS_PULL_DOWN) wish.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    enum readerd_gpio_outcome outcome = hold(place, &wish, &opened->held, error);
    if (outcome == READERD_GPIO_OK) *input = opened;
    else free(opened);
    return outcome;
}

int readerd_gpio_input_descriptor(struct readerd_gpio_input *input)
{
    return gpiod_line_event_get_fd(input->held.line);
}

enum readerd_gpio_outcome readerd_gpio_input_get(struct readerd_gpio_input *input, bool *active, int *error)
{
    return get(input->held, active, error);
}

enum readerd_gpio_outcome readerd_gpio_next_edge(
    struct readerd_gpio_input *input, bool *active, uint64_t *nanoseconds, int *error)
{
    *error = 0;
    const struct timespec at_once = {0, 0};
    int waiting = gpiod_line_event_wait(input->held.line, &at_once);
    if (waiting == 0) return READERD_GPIO_NO_EDGE;
    struct gpiod_line_event event;
    if (waiting < 0 || gpiod_line_event_read(input->held.line, &event) != 0) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    *nanoseconds = (uint64_t)event.ts.tv_sec * 1000000000u + (uint64_t)event.ts.tv_nsec;
    return READERD_GPIO_OK;
}

void readerd_gpio_close_input(struct readerd_gpio_input *input)
{
    if (input == NULL) return;
    give_back(input->held);
    free(input);
}

#endif
