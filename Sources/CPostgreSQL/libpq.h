// The interface of libpq, wherever the system keeps it.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq is not installed: apt-get install libpq-dev, or brew install libpq"
#endif
