#include "backend.h"

#if READERD_GPIO_API == 2

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct readerd_gpio_output {
    struct gpiod_line_request *request;
    unsigned int offset;
};

int readerd_gpio_api(void) { return 2; }

// How many lines the chip has; −1 with errno if it does not say.
static long line_count(struct gpiod_chip *chip)
{
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (info == NULL) return -1;
    long count = (long)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    return count;
}

int readerd_gpio_backend_search(const char *path, const char *name, uint32_t *offset, size_t *found)
{
    *found = 0;
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (chip == NULL) return errno;
    long count = line_count(chip);
    int failure = count < 0 ? errno : 0;
    for (long number = 0; number < count; number++) {
        struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, (unsigned int)number);
        if (line == NULL) {
            failure = errno;
            continue;
        }
        const char *candidate = gpiod_line_info_get_name(line);
        if (candidate != NULL && strcmp(candidate, name) == 0) {
            if (*found == 0) *offset = (uint32_t)number;
            *found += 1;
        }
        gpiod_line_info_free(line);
    }
    gpiod_chip_close(chip);
    return failure;
}

// Opens the chip, if it has such a line; else NULL with the outcome.
static struct gpiod_chip *open_chip(
    const struct readerd_gpio_place *place, enum readerd_gpio_outcome *outcome, int *error)
{
    *error = 0;
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    long count = chip == NULL ? -1 : line_count(chip);
    if (count < 0) *error = errno;
    if ((long)place->offset < count) return chip;
    if (chip != NULL) gpiod_chip_close(chip);
    *outcome = count < 0 ? READERD_GPIO_CHIP_FAILED : READERD_GPIO_NO_SUCH_OFFSET;
    return NULL;
}

// Asks the kernel for the one line; NULL with errno.
static struct gpiod_line_request *request_output(
    struct gpiod_chip *chip, unsigned int offset, bool active_low, bool active)
{
    struct gpiod_line_request *request = NULL;
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *config = gpiod_request_config_new();
    if (settings != NULL && lines != NULL && config != NULL) {
        gpiod_line_settings_set_active_low(settings, active_low);
        gpiod_request_config_set_consumer(config, READERD_GPIO_CONSUMER);
        enum gpiod_line_value value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
        if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) == 0
            && gpiod_line_settings_set_output_value(settings, value) == 0
            && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0)
            request = gpiod_chip_request_lines(chip, config, lines);
    }
    int failure = errno;
    gpiod_request_config_free(config);
    gpiod_line_config_free(lines);
    gpiod_line_settings_free(settings);
    errno = failure;
    return request;
}

enum readerd_gpio_outcome readerd_gpio_open_output(
    const struct readerd_gpio_place *place, bool active_low, bool active, struct readerd_gpio_output **output,
    int *error)
{
    enum readerd_gpio_outcome outcome;
    struct gpiod_chip *chip = open_chip(place, &outcome, error);
    if (chip == NULL) return outcome;
    struct gpiod_line_request *request = request_output(chip, place->offset, active_low, active);
    if (request == NULL) *error = errno;
    // The request outlives the chip it was made with.
    gpiod_chip_close(chip);
    if (request == NULL) return READERD_GPIO_REQUEST_FAILED;

    struct readerd_gpio_output *opened = malloc(sizeof *opened);
    if (opened == NULL) {
        gpiod_line_request_release(request);
        return READERD_GPIO_NO_MEMORY;
    }
    opened->request = request;
    opened->offset = place->offset;
    *output = opened;
    return READERD_GPIO_OK;
}

enum readerd_gpio_outcome readerd_gpio_set(struct readerd_gpio_output *output, bool active, int *error)
{
    *error = 0;
    enum gpiod_line_value value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    if (gpiod_line_request_set_value(output->request, output->offset, value) == 0) return READERD_GPIO_OK;
    *error = errno;
    return READERD_GPIO_ACCESS_FAILED;
}

enum readerd_gpio_outcome readerd_gpio_get(struct readerd_gpio_output *output, bool *active, int *error)
{
    *error = 0;
    enum gpiod_line_value value = gpiod_line_request_get_value(output->request, output->offset);
    if (value == GPIOD_LINE_VALUE_ERROR) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = value == GPIOD_LINE_VALUE_ACTIVE;
    return READERD_GPIO_OK;
}

void readerd_gpio_close(struct readerd_gpio_output *output)
{
    if (output == NULL) return;
    gpiod_line_request_release(output->request);
    free(output);
}

struct readerd_gpio_input {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *buffer;
    unsigned int offset;
};

// Asks the kernel for the one line with its edges; NULL with errno.
static struct gpiod_line_request *request_input(
    struct gpiod_chip *chip, unsigned int offset, bool active_low, enum readerd_gpio_bias bias)
{
    enum gpiod_line_bias pull = GPIOD_LINE_BIAS_AS_IS;
    if (bias == READERD_GPIO_BIAS_PULL_UP) pull = GPIOD_LINE_BIAS_PULL_UP;
    if (bias == READERD_GPIO_BIAS_PULL_DOWN) pull = GPIOD_LINE_BIAS_PULL_DOWN;
    struct gpiod_line_request *request = NULL;
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *config = gpiod_request_config_new();
    if (settings != NULL && lines != NULL && config != NULL) {
        gpiod_line_settings_set_active_low(settings, active_low);
        gpiod_request_config_set_consumer(config, READERD_GPIO_CONSUMER);
        if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT) == 0
            && gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH) == 0
            && gpiod_line_settings_set_bias(settings, pull) == 0
            && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0)
            request = gpiod_chip_request_lines(chip, config, lines);
    }
    int failure = errno;
    gpiod_request_config_free(config);
    gpiod_line_config_free(lines);
    gpiod_line_settings_free(settings);
    errno = failure;
    return request;
}

enum readerd_gpio_outcome readerd_gpio_open_input(
    const struct readerd_gpio_place *place, bool active_low, enum readerd_gpio_bias bias,
    struct readerd_gpio_input **input, int *error)
{
    enum readerd_gpio_outcome outcome;
    struct gpiod_chip *chip = open_chip(place, &outcome, error);
    if (chip == NULL) return outcome;
    struct gpiod_line_request *request = request_input(chip, place->offset, active_low, bias);
    if (request == NULL) *error = errno;
    gpiod_chip_close(chip);
    if (request == NULL) return READERD_GPIO_REQUEST_FAILED;

    struct readerd_gpio_input *opened = malloc(sizeof *opened);
    struct gpiod_edge_event_buffer *buffer = gpiod_edge_event_buffer_new(1);
    if (opened == NULL || buffer == NULL) {
        free(opened);
        gpiod_edge_event_buffer_free(buffer);
        gpiod_line_request_release(request);
        return READERD_GPIO_NO_MEMORY;
    }
    opened->request = request;
    opened->buffer = buffer;
    opened->offset = place->offset;
    *input = opened;
    return READERD_GPIO_OK;
}

int readerd_gpio_input_descriptor(struct readerd_gpio_input *input)
{
    return gpiod_line_request_get_fd(input->request);
}

enum readerd_gpio_outcome readerd_gpio_input_get(struct readerd_gpio_input *input, bool *active, int *error)
{
    *error = 0;
    enum gpiod_line_value value = gpiod_line_request_get_value(input->request, input->offset);
    if (value == GPIOD_LINE_VALUE_ERROR) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = value == GPIOD_LINE_VALUE_ACTIVE;
    return READERD_GPIO_OK;
}

enum readerd_gpio_outcome readerd_gpio_next_edge(
    struct readerd_gpio_input *input, bool *active, uint64_t *nanoseconds, int *error)
{
    *error = 0;
    int waiting = gpiod_line_request_wait_edge_events(input->request, 0);
    if (waiting == 0) return READERD_GPIO_NO_EDGE;
    if (waiting < 0 || gpiod_line_request_read_edge_events(input->request, input->buffer, 1) < 1) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    // Belongs to the buffer.
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(input->buffer, 0);
    *active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    *nanoseconds = gpiod_edge_event_get_timestamp_ns(event);
    return READERD_GPIO_OK;
}

void readerd_gpio_close_input(struct readerd_gpio_input *input)
{
    if (input == NULL) return;
    gpiod_line_request_release(input->request);
    gpiod_edge_event_buffer_free(input->buffer);
    free(input);
}

#endif
