/* A made-up system: files such as /proc/meminfo in a folder, for functions that take `root`. */
#pragma once

/* The fixture of a test case. */
void root_make(void);
void root_remove(void);

/* The folder. */
const char *root(void);

/* Writes root()/path, making its folders. */
void root_put(const char *path, const char *text);
