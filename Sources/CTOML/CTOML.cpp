// SPDX-License-Identifier: Apache-2.0

#include "CTOML.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// Errors are values and nothing is written, so neither exceptions nor formatters are needed.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
// The maximum nesting of arrays and inline tables; a configuration needs two levels.
#define TOML_MAX_NESTED_VALUES 16

namespace {

// True for an assertion about the next character of the text, not about the parser. Some of these precede the check of
// the same condition, so that a file with `[=]` or `1979-05-27T*` would terminate the process (toml++ 3.3). After each
// of them the parser reports the character, or handles it like any other.
constexpr bool is_about_the_text(std::string_view assertion)
{
    return assertion.find("*cp") != std::string_view::npos;
}

} // namespace

#define TOML_ASSERT(expression) assert(is_about_the_text(#expression) || (expression))
#include <toml++/toml.h>

namespace {

// The maximum number of dots in a line. The parser limits the nesting of brackets, but not the depth of dotted keys;
// the walk below and the destructor of the tables recurse. With the limit for brackets the depth is about a thousand
// levels at most.
constexpr std::size_t maximum_dots = 64;

struct Entry {
    std::string path;
    std::int64_t index = -1;
    readerd_toml_kind kind = READERD_TOML_TABLE;
    std::size_t count = 0;
    std::string string;
    std::int64_t integer = 0;
    double real = 0;
    bool boolean = false;
    toml::source_position position{};
};

readerd_toml_text text(const std::string &string)
{
    return { string.data(), string.size() };
}

bool is_bare(std::string_view key)
{
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

// Returns the path of a key. A quoted key keeps its quotes, so that "a.b" and a.b remain different paths.
std::string joined(const std::string &path, std::string_view key)
{
    std::string result = path.empty() ? std::string() : path + ".";
    if (is_bare(key)) return result.append(key);
    result += '"';
    for (char c : key) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result += '"';
}

// Returns the first line, from 1, with more dots than permitted; 0 if there is none. Comment lines are not counted.
std::uint32_t line_with_too_many_dots(std::string_view octets)
{
    std::uint32_t number = 1;
    while (!octets.empty()) {
        std::string_view line = octets.substr(0, octets.find('\n'));
        std::size_t first = line.find_first_not_of(" \t");
        if (first != std::string_view::npos && line[first] != '#'
            && static_cast<std::size_t>(std::count(line.begin(), line.end(), '.')) > maximum_dots)
            return number;
        octets.remove_prefix(std::min(line.size() + 1, octets.size()));
        number += 1;
    }
    return 0;
}

} // namespace

struct readerd_toml_document {
    std::vector<Entry> entries;
    bool failed = false;
    std::string message;
    toml::source_position position{};

    void add(const toml::node &node, std::string path, std::int64_t index, toml::source_position position)
    {
        Entry entry;
        entry.index = index;
        entry.position = position;
        if (auto table = node.as_table()) {
            entry.kind = READERD_TOML_TABLE;
            add_children(*table, index < 0 ? path : element(path, index));
        } else if (auto array = node.as_array()) {
            entry.kind = READERD_TOML_ARRAY;
            entry.count = array->size();
            std::string inner = index < 0 ? path : element(path, index);
            std::int64_t number = 0;
            for (auto &child : *array) add(child, inner, number++, child.source().begin);
        } else if (auto string = node.as_string()) {
            entry.kind = READERD_TOML_STRING;
            entry.string = string->get();
        } else if (auto integer = node.as_integer()) {
            entry.kind = READERD_TOML_INTEGER;
            entry.integer = integer->get();
        } else if (auto real = node.as_floating_point()) {
            entry.kind = READERD_TOML_FLOAT;
            entry.real = real->get();
        } else if (auto boolean = node.as_boolean()) {
            entry.kind = READERD_TOML_BOOLEAN;
            entry.boolean = boolean->get();
        } else {
            entry.kind = READERD_TOML_DATE_TIME;
        }
        entry.path = std::move(path);
        entries.push_back(std::move(entry));
    }

    void add_children(const toml::table &table, const std::string &path)
    {
        for (auto &&[key, child] : table) add(child, joined(path, key.str()), -1, key.source().begin);
    }

    void parse(std::string_view octets)
    {
        if (std::uint32_t line = line_with_too_many_dots(octets)) {
            failed = true;
            message = "more than " + std::to_string(maximum_dots) + " dots on one line";
            position = { line, 1 };
            return;
        }
        toml::parse_result result = toml::parse(octets);
        if (!result) {
            failed = true;
            message = std::string(result.error().description());
            position = result.error().source().begin;
            return;
        }
        add_children(result.table(), std::string());
        // The parser sorts by key; errors are expected in the order of the text.
        std::sort(entries.begin(), entries.end(), [](const Entry &left, const Entry &right) {
            return std::tie(left.position.line, left.position.column, left.path, left.index)
                < std::tie(right.position.line, right.position.column, right.path, right.index);
        });
    }

private:
    static std::string element(const std::string &path, std::int64_t index)
    {
        return path + "[" + std::to_string(index) + "]";
    }
};

readerd_toml_document *readerd_toml_parse(const char *octets, size_t count)
{
    // Only memory can run out here, but no exception may pass a C interface.
    try {
        auto document = std::make_unique<readerd_toml_document>();
        document->parse(std::string_view(octets, count));
        return document.release();
    } catch (...) {
        return nullptr;
    }
}

bool readerd_toml_get_fault(const readerd_toml_document *document, readerd_toml_fault *fault)
{
    if (!document->failed) return false;
    *fault = { text(document->message), document->position.line, document->position.column };
    return true;
}

size_t readerd_toml_entry_count(const readerd_toml_document *document)
{
    return document->entries.size();
}

bool readerd_toml_get_entry(const readerd_toml_document *document, size_t number, readerd_toml_entry *entry)
{
    if (number >= document->entries.size()) return false;
    const Entry &found = document->entries[number];
    *entry = {
        text(found.path),  found.index,   found.kind,          found.count,           text(found.string),
        found.integer,     found.real,    found.boolean,       found.position.line,   found.position.column,
    };
    return true;
}

void readerd_toml_free(readerd_toml_document *document)
{
    delete document;
}
