/* Makes sockets that need no connection, and of this host: the names of other hosts, a message
 * bus. */
#include "attempt.h"
#include <netinet/in.h>
#include <sys/socket.h>

static const char *attempt(void)
{
    if (socket(AF_INET, SOCK_DGRAM, 0) >= 0)
        return "it made a socket for datagrams";
    return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? "it made a socket of this host" : NULL;
}

USER_ATTEMPT("datagrams")
