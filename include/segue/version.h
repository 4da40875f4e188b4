/* version.h - version and build of the library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_VERSION_H
#define SEGUE_VERSION_H

#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Return the version of the linked library, such as "0.2.0". */
SEGUE_API const char *segue_version(void);

/** Return build type and compiler, such as "Release, gcc 12.2.0". */
SEGUE_API const char *segue_version_build(void);

/** Return the linear algebra in use, such as "OpenBLAS 0.3.21 ... Haswell". */
SEGUE_API const char *segue_linalg_backend(void);

#ifdef __cplusplus
}
#endif
#endif
