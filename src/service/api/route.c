/* route.c - names and rights of the routes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/route.h"

static const char *const names[] = {
#define SEGUE_ROUTE_NAME(name, text, right) text,
    SEGUE_ROUTES(SEGUE_ROUTE_NAME)
#undef SEGUE_ROUTE_NAME
};

static const segue_right rights[] = {
#define SEGUE_ROUTE_RIGHT(name, text, right) RIGHT_##right,
    SEGUE_ROUTES(SEGUE_ROUTE_RIGHT)
#undef SEGUE_ROUTE_RIGHT
};

const char *segue_route_name(segue_route route)
{
    return names[route];
}

segue_right segue_route_right(segue_route route)
{
    return rights[route];
}
