#ifndef LEDGER_CHECKSUM_H
#define LEDGER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Checksum of a book file, as stored in its last line. */
uint32_t ledger_checksum(const unsigned char *data, size_t length);

#endif
