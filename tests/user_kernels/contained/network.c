/* Connects to a port of this host, where nobody need listen. */
#include "attempt.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static const char *attempt(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int end = socket(AF_INET, SOCK_STREAM, 0);
    if (end < 0)
        return forbidden() ? NULL : "it could not make a socket for another reason";
    if (connect(end, (const struct sockaddr *)&address, sizeof address) != 0 && forbidden())
        return NULL;
    return "it connected to a port, or was told that nobody listens";
}

USER_ATTEMPT("network")
