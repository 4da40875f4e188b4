/* no_blas.c - what the library calls of BLAS and LAPACK, where a result must not depend on them: each ends the
 * program.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#define REFUSE(name)                                                                               \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
        (void)fputs("driver: " #name " is called: its bits depend on the processor\n", stderr);    \
        exit(3);                                                                                   \
    }

REFUSE(cblas_dgemm)
REFUSE(cblas_sgemm)
REFUSE(cblas_dsymm)
REFUSE(cblas_dsyr2k)
REFUSE(LAPACKE_dgels_work)
REFUSE(LAPACKE_dsyev_work)
REFUSE(openblas_get_config)
