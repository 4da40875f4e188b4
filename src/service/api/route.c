/* route.c - names of the routes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/route.h"

static const char *const names[] = {
#define SEGUE_ROUTE_NAME(name, text) text,
    SEGUE_ROUTES(SEGUE_ROUTE_NAME)
#undef SEGUE_ROUTE_NAME
};

const char *segue_route_name(segue_route route)
{
    return names[route];
}
