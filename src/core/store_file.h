/* store_file.h - recognise the files of a store, so that no output replaces one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_STORE_FILE_H
#define SEGUE_CORE_STORE_FILE_H

#define SEGUE_STORE_APPLICATION_ID 1397049173 /* "SEGU", SQLite's application_id of a store */

/**
 * Return 1 if the file at `path` is a store of Segue or belongs to one: SQLite's write-ahead log
 * or its index, or a name with -wal, -shm or -journal beside a store, even if it does not exist.
 *
 * The function opens and closes the file, which drops the locks that SQLite holds on it in this
 * process: call it before the store is opened.
 */
int segue_store_file_detect(const char *path);

#endif
