#ifndef CTOML_H
#define CTOML_H

// TOML 1.0 text as a flat list of what stands in it, over toml++ (MIT). No exception leaves these functions.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum readerd_toml_kind {
    READERD_TOML_TABLE = 0,
    // `count` elements, each an entry of its own.
    READERD_TOML_ARRAY,
    READERD_TOML_STRING,
    READERD_TOML_INTEGER,
    READERD_TOML_FLOAT,
    READERD_TOML_BOOLEAN,
    // A date, a time, or both: told apart no further.
    READERD_TOML_DATE_TIME,
};

// Text is UTF-8, not terminated, may hold zeros, and lives as long as the document.
struct readerd_toml_text {
    const char *octets;
    size_t count;
};

// One table, array, value, or element of an array.
struct readerd_toml_entry {
    // Keys from the root, joined by dots; a key that is not a bare one is quoted, with \" and \\ inside. An element
    // of an array has the path of its array; the elements of a nested array, and the keys of a table in an array,
    // have that path with [index] behind it.
    struct readerd_toml_text path;
    // Which element of its array this is; -1 if it is a key's value.
    int64_t index;
    enum readerd_toml_kind kind;
    // How many elements an array has.
    size_t count;
    struct readerd_toml_text string;
    int64_t integer;
    double real;
    bool boolean;
    // Where the key stands (an element: where it stands), both from 1.
    uint32_t line;
    uint32_t column;
};

// Why the text is not TOML.
struct readerd_toml_fault {
    struct readerd_toml_text message;
    // Both from 1; 0 if there is no place, as without memory.
    uint32_t line;
    uint32_t column;
};

struct readerd_toml_document;

// Parses the text. NULL only if there is no memory; a text that is no TOML gives a document with a fault.
struct readerd_toml_document *readerd_toml_parse(const char *octets, size_t count);

// True, and the fault, if the text was no TOML; such a document has no entries.
bool readerd_toml_get_fault(const struct readerd_toml_document *document, struct readerd_toml_fault *fault);

// How many entries there are.
size_t readerd_toml_entry_count(const struct readerd_toml_document *document);

// Entry `number`, counted from 0, in the order of their places; false if there are fewer.
bool readerd_toml_get_entry(
    const struct readerd_toml_document *document, size_t number, struct readerd_toml_entry *entry);

// Frees the document and all text of it. NULL is fine.
void readerd_toml_free(struct readerd_toml_document *document);

#ifdef __cplusplus
}
#endif

#endif
