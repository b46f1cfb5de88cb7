#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "semaphore.h"

// The lock of a range of a file excludes other processes, and the mutex excludes other threads of this process, which
// share the range.
struct tidelog_lmdb_lock {
    pthread_mutex_t threads;
    int file;
    off_t place;
    // 1 while a process has the lock. It is in the map of the lock file, so that it stays when the owner dies.
    _Atomic char *is_owned;
    // Whether the last owner died, and the present owner has not repaired what it left.
    bool needs_repair;
};

// LMDB itself locks the first byte, and the byte with the number of each process.
static const off_t first_place = (off_t)1 << 40;
// The last byte of the field with the name, which LMDB does not use. LMDB writes the name, but not this byte, when it
// makes the table again. A process that died before that then counts as a dead owner, which does no harm.
static const int owner_offset = 31;

sem_t *tidelog_lmdb_lock_open(int file, char *name) {
    sem_t *lock = malloc(sizeof *lock);
    if (!lock) return SEM_FAILED;
    lock->file = file;
    lock->place = first_place + name[4];
    lock->is_owned = (_Atomic char *)(name + owner_offset);
    lock->needs_repair = false;
    int error = pthread_mutex_init(&lock->threads, NULL);
    if (!error) return lock;
    free(lock);
    errno = error;
    return SEM_FAILED;
}

static int set_range(const sem_t *lock, short type) {
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = lock->place, .l_len = 1};
    while (fcntl(lock->file, F_SETLKW, &range)) {
        if (errno == EDEADLK) {
            // The system sees processes, and not their threads. It reports a circle if a thread of each of two
            // processes waits for the other process, although another thread of that process will give the lock.
            usleep(1000);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int tidelog_lmdb_lock_take(sem_t *lock) {
    int error = pthread_mutex_lock(&lock->threads);
    if (!error) {
        error = set_range(lock, F_WRLCK);
        if (!error) {
            lock->needs_repair = atomic_exchange(lock->is_owned, 1) != 0;
            if (!lock->needs_repair) return 0;
            errno = EOWNERDEAD;
            return -1;
        }
        pthread_mutex_unlock(&lock->threads);
    }
    errno = error;
    return -1;
}

int tidelog_lmdb_lock_repaired(sem_t *lock) {
    lock->needs_repair = false;
    return 0;
}

int tidelog_lmdb_lock_give(sem_t *lock) {
    if (!lock->needs_repair) atomic_store(lock->is_owned, 0);
    int error = set_range(lock, F_UNLCK);
    int other = pthread_mutex_unlock(&lock->threads);
    if (!error && !other) return 0;
    errno = error ? error : other;
    return -1;
}

int tidelog_lmdb_lock_close(sem_t *lock) {
    // LMDB closes the file after this, which releases the range.
    pthread_mutex_destroy(&lock->threads);
    free(lock);
    return 0;
}
