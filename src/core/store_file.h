/* store_file.h - recognise the files of a store, so that no output replaces one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_STORE_FILE_H
#define SEGUE_CORE_STORE_FILE_H

#define SEGUE_STORE_APPLICATION_ID 1397049173 /* "SEGU", SQLite's application_id of a store */

/**
 * Whether the file at `path` is a store of Segue, or belongs to one: a write-ahead log of SQLite or
 * its index, or a name with -wal, -shm or -journal beside a store, whether it exists or not.
 *
 * Opens and closes the file, which ends the locks that SQLite holds on it in this process: ask
 * before the store is opened.
 */
int segue_store_file_detect(const char *path);

#endif
