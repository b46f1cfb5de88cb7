// Stands in for the system's header of this name. LMDB is compiled for named semaphores, and gets locks on its lock
// file instead. The system releases them when a process ends.
#ifndef TIDELOG_LMDB_SEMAPHORE_H
#define TIDELOG_LMDB_SEMAPHORE_H

typedef struct tidelog_lmdb_lock sem_t;

#define SEM_FAILED ((sem_t *)0)

// Makes the lock called `name` of an open lock file. The name is in the lock file's map, in a field of 32 bytes: it
// begins with `/MDBr` for the lock of the table of readers, and with `/MDBw` for the lock of the writers. Returns
// SEM_FAILED with `errno` if there is no memory.
sem_t *tidelog_lmdb_lock_open(int file, char *name);
// Waits until no other thread and no other process has the lock. Returns -1 with `errno` if that fails, and also, with
// EOWNERDEAD, if the last owner died. In that case the caller has the lock.
int tidelog_lmdb_lock_take(sem_t *lock);
// Notes that the caller has repaired what the dead owner left. Without this, the next owner is told of the death too.
int tidelog_lmdb_lock_repaired(sem_t *lock);
int tidelog_lmdb_lock_give(sem_t *lock);
int tidelog_lmdb_lock_close(sem_t *lock);

// LMDB calls this in a function that has the environment in the variable `env`.
#define sem_open(name, ...) tidelog_lmdb_lock_open(env->me_lfd, name)
#define sem_wait(lock) tidelog_lmdb_lock_take(lock)
#define sem_post(lock) tidelog_lmdb_lock_give(lock)
#define sem_close(lock) tidelog_lmdb_lock_close(lock)
#define sem_unlink(name) ((void)(name))
#define mdb_mutex_consistent(lock) tidelog_lmdb_lock_repaired(lock)

#endif
