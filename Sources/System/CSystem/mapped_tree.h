// Reads branches and leaves of LMDB's trees in memory, in data format 1 with its 64-bit layout. In C, this is also fast in a
// build without optimization.
#pragma once

#include <stdint.h>
#include <string.h>

#include "shim.h"

// The pages of a data file.
typedef struct {
    const void *base;
    size_t page_size;
    uint64_t page_count;
} tidelog_pages;

// A branch or a leaf. Its nodes are in the order of their keys, each at an offset from the start of the page.
typedef struct {
    uint64_t number;
    uint16_t padding;
    uint16_t flags;
    uint16_t nodes_end;
    uint16_t free_end;
    uint16_t nodes[];
} tidelog_page;

// In a branch, the parts are the number of a page. In a leaf, two parts are the length of the value and the third has flags,
// which are zero if the value follows the key.
typedef struct {
    uint16_t parts[3];
    uint16_t key_count;
    char key[];
} tidelog_node;

enum { TIDELOG_BRANCH = 1, TIDELOG_LEAF = 2 };
static const uint64_t tidelog_no_page = UINT64_MAX;

// Whether the page is of the kind that `flags` say, and has its list of nodes inside of it.
static inline int tidelog_has_nodes(const tidelog_page *page, size_t page_size, uint16_t flags) {
    return page->flags == flags && page->nodes_end >= sizeof *page && page->nodes_end <= page_size;
}

// The page with `number` if it is inside of the file, is of the kind that `flags` say, and has its list of nodes inside of it.
static inline const tidelog_page *tidelog_find_page(tidelog_pages pages, uint64_t number, uint16_t flags) {
    if (number >= pages.page_count) return NULL;
    const tidelog_page *page = (const tidelog_page *)((const char *)pages.base + number * pages.page_size);
    return page->number == number && tidelog_has_nodes(page, pages.page_size, flags) ? page : NULL;
}

// The node with `index` if its header and its key are inside of the page.
static inline const tidelog_node *tidelog_find_node(tidelog_pages pages, const tidelog_page *page, size_t index) {
    size_t offset = page->nodes[index];
    if (offset % 2 != 0 || offset + sizeof(tidelog_node) > pages.page_size) return NULL;
    const tidelog_node *node = (const tidelog_node *)((const char *)page + offset);
    return offset + sizeof *node + node->key_count <= pages.page_size ? node : NULL;
}

static inline size_t tidelog_node_count(const tidelog_page *page) {
    return (page->nodes_end - sizeof *page) / sizeof page->nodes[0];
}

// Whether the key comes before that of the node (negative), is equal (zero) or comes after it (positive).
static inline int tidelog_compare(const void *key, size_t count, const tidelog_node *node) {
    if (count >= 8 && node->key_count >= 8) {
        // Most keys differ in their first bytes. A fixed number of bytes is compared without a call.
        int order = memcmp(key, node->key, 8);
        if (order != 0) return order;
    }
    int order = memcmp(key, node->key, count < node->key_count ? count : node->key_count);
    if (order != 0) return order;
    return count < node->key_count ? -1 : count > node->key_count;
}

// The index of the node of the branch `number` whose page has the key, or would have it. If there is no such branch, the index
// is that of no node.
static inline size_t tidelog_find_index(tidelog_pages pages, uint64_t number, const void *key, size_t count) {
    const tidelog_page *branch = tidelog_find_page(pages, number, TIDELOG_BRANCH);
    if (!branch) return SIZE_MAX;
    // The first node has no key. It refers to everything that comes before the second one.
    size_t first = 0;
    for (size_t end = tidelog_node_count(branch); end - first > 1;) {
        size_t middle = (first + end) / 2;
        const tidelog_node *node = tidelog_find_node(pages, branch, middle);
        if (!node) return SIZE_MAX;
        if (tidelog_compare(key, count, node) < 0) {
            end = middle;
        } else {
            first = middle;
        }
    }
    return first;
}

// The number of the page of the node with `index` in the branch `number`, or no page's number if there is no such node.
static inline uint64_t tidelog_find_child(tidelog_pages pages, uint64_t number, size_t index) {
    const tidelog_page *branch = tidelog_find_page(pages, number, TIDELOG_BRANCH);
    if (!branch || index >= tidelog_node_count(branch)) return tidelog_no_page;
    const tidelog_node *node = tidelog_find_node(pages, branch, index);
    if (!node) return tidelog_no_page;
    return node->parts[0] | (uint64_t)node->parts[1] << 16 | (uint64_t)node->parts[2] << 32;
}

// The value of a node of the leaf with its length, or NULL if it is on pages of its own or not inside of the leaf.
static inline const void *tidelog_node_value(
    const void *leaf, size_t page_size, const tidelog_node *node, size_t *value_count) {
    const char *value = node->key + node->key_count;
    *value_count = node->parts[0] | (size_t)node->parts[1] << 16;
    return node->parts[2] == 0 && *value_count <= page_size - (size_t)(value - (const char *)leaf) ? value : NULL;
}

// A key and its value in a leaf. Without a value, there is no entry.
typedef struct {
    const void *key;
    const void *value;
    uint32_t key_count;
    uint32_t value_count;
} tidelog_entry;

// The number of entries of the leaf at the address, or zero if there is no leaf.
static inline size_t tidelog_count_entries(const void *address, size_t page_size) {
    return tidelog_has_nodes(address, page_size, TIDELOG_LEAF) ? tidelog_node_count(address) : 0;
}

// The entry with `index` of a leaf that has it. There is none if it is not inside of the page as a whole.
static inline tidelog_entry tidelog_read_entry(const void *leaf, size_t page_size, size_t index) {
    const tidelog_pages pages = {.base = leaf, .page_size = page_size, .page_count = 1};
    const tidelog_node *node = tidelog_find_node(pages, leaf, index);
    if (!node) return (tidelog_entry){0};
    size_t value_count = 0;
    const void *value = tidelog_node_value(leaf, page_size, node, &value_count);
    return (tidelog_entry){
        .key = node->key, .value = value, .key_count = node->key_count, .value_count = (uint32_t)value_count};
}

// The index of the entry of a leaf whose key is at the address `key`, or `count` if none of the `count` entries is.
static inline size_t tidelog_index_of_entry(const void *leaf, size_t count, const void *key) {
    const tidelog_page *page = leaf;
    size_t offset = (size_t)((const char *)key - (const char *)leaf) - sizeof(tidelog_node);
    size_t index = 0;
    while (index < count && page->nodes[index] != offset) index++;
    return index;
}

// The page with `number`, or NULL if it is not inside of the file.
static inline const void *tidelog_page_start(tidelog_pages pages, uint64_t number) {
    return number < pages.page_count ? (const char *)pages.base + number * pages.page_size : NULL;
}

// Asks the processor for the first bytes of the page with `number`.
static inline void tidelog_prefetch_page(tidelog_pages pages, uint64_t number) {
    const void *start = tidelog_page_start(pages, number);
    if (start) __builtin_prefetch(start);
}

// Asks the processor for the nodes of the leaf `number` that the first four steps of a binary search may compare.
static inline void tidelog_prefetch_leaf(tidelog_pages pages, uint64_t number) {
    const tidelog_page *leaf = tidelog_find_page(pages, number, TIDELOG_LEAF);
    if (!leaf) return;
    size_t count = tidelog_node_count(leaf);
    size_t step = count < 16 ? 1 : count / 16;
    for (size_t index = step / 2; index < count; index += step) {
        if (leaf->nodes[index] < pages.page_size) __builtin_prefetch((const char *)leaf + leaf->nodes[index]);
    }
}

// The value of the key in the leaf `number`, with its length, or NULL if it is not there or on pages of its own.
static inline const void *tidelog_find_value(
    tidelog_pages pages, uint64_t number, const void *key, size_t count, size_t *value_count) {
    const tidelog_page *leaf = tidelog_find_page(pages, number, TIDELOG_LEAF);
    if (!leaf) return NULL;
    for (size_t first = 0, end = tidelog_node_count(leaf); first < end;) {
        size_t middle = (first + end) / 2;
        const tidelog_node *node = tidelog_find_node(pages, leaf, middle);
        if (!node) return NULL;
        int order = tidelog_compare(key, count, node);
        if (order == 0) return tidelog_node_value(leaf, pages.page_size, node, value_count);
        if (order < 0) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return NULL;
}
