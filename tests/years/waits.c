/* Waits with a time-out on a clock, which libfaketime does not know: the time-out is told in the true time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Return the true time at which a deadline of the shown time passes. */
static struct timespec true_deadline(clockid_t clock, const struct timespec *deadline) {
    struct timespec shown, now;
    clock_gettime(clock, &shown);
    syscall(SYS_clock_gettime, clock, &now);
    long long wait = (deadline->tv_sec - shown.tv_sec) * 1000000000LL + deadline->tv_nsec - shown.tv_nsec;
    if (wait < 0) wait = 0;
    wait += now.tv_nsec;
    now.tv_sec += wait / 1000000000LL;
    now.tv_nsec = wait % 1000000000LL;
    return now;
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
    static int (*wait)(sem_t *, clockid_t, const struct timespec *);
    if (!wait) wait = dlsym(RTLD_NEXT, "sem_clockwait");
    struct timespec until = true_deadline(clock, deadline);
    return wait(semaphore, clock, &until);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
    static int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    if (!wait) wait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    struct timespec until = true_deadline(clock, deadline);
    return wait(condition, mutex, clock, &until);
}
