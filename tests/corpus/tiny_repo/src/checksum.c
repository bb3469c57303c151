#include "checksum.h"

#define MOD_ADLER 65521u

/* Adler-32 over a buffer. The two sums are reduced once per block of 5552 bytes:
 * the most that cannot overflow 32 bits. */
uint32_t ledger_checksum(const unsigned char *data, size_t length)
{
    uint32_t low = 1, high = 0;

    while (length > 0) {
        size_t block = length > 5552 ? 5552 : length;

        length -= block;
        while (block--) {
            low += *data++;
            high += low;
        }
        low %= MOD_ADLER;
        high %= MOD_ADLER;
    }
    return (high << 16) | low;
}
