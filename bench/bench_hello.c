/* bench_hello.c - the minimal libmicrohttpd server: the baseline of `segue serve`.
 *
 * It uses the same mode, pool and limits, and a response of about the size of a decision.
 * usage: bench_hello THREADS
 * SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[] = "{\"task\":\"s\",\"control\":false,\"version\":0,\"decision\":"
                     "\"AQAAAAEAAAAAAAAAAAAAAAEAAAACAAAAAAB83-vioQGV_zx-KsgKIMWyEAv97GsZ\","
                     "\"arm\":\"hello\"}";

static enum MHD_Result hello(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **at)
{
    static int seen;
    (void)context;
    (void)url;
    (void)method;
    (void)version;
    (void)upload;
    if (!*at) {
        *at = &seen;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    const enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

int main(int argc, char **argv)
{
    const unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0,
        NULL, NULL, hello, NULL, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE,
        threads > 1 ? threads : 0, MHD_OPTION_CONNECTION_LIMIT, 4096u,
        MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768,
        MHD_OPTION_END);
    if (!daemon)
        return 1;
    (void)printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    (void)fflush(stdout);
    (void)getchar(); /* until the standard input is closed */
    MHD_stop_daemon(daemon);
    return 0;
}
