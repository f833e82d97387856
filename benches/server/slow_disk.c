/* In: LATENCY_US; preloaded into a server (LD_PRELOAD). Out: a disk that takes so long for each page of 8 kB, but any number at the
 * same time: a page that was announced (posix_fadvise) is ready so long after that. As the operating system does, it reads 128 kB
 * ahead where pages are read one after the other. Each process has a disk of its own, on which nothing has been read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 8192, AHEAD = 16, SLOTS = 1 << 20, FILES = 64 };

static struct { uint64_t page; int64_t ready; } pages[SLOTS]; /* a hash table */
static struct { uint64_t file, next, read_to; } files[FILES];

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* When a page is ready; if nobody has asked for it before, it is asked for now. */
static int64_t ready(uint64_t file, uint64_t number, int64_t since) {
  static int64_t latency = -1;
  uint64_t page = file << 24 ^ (number + 1), at = page * 0x9E3779B97F4A7C15ULL >> 44;
  if (latency < 0)
    latency = getenv("LATENCY_US") ? atoll(getenv("LATENCY_US")) * 1000 : 0;
  while (pages[at].page && pages[at].page != page)
    at = (at + 1) % SLOTS;
  if (!pages[at].page)
    pages[at].page = page, pages[at].ready = since + latency;
  return pages[at].ready;
}

static uint64_t file_of(int fd) {
  struct stat s;
  return fstat(fd, &s) || !S_ISREG(s.st_mode) ? 0 : s.st_ino;
}

ssize_t pread(int fd, void *buffer, size_t count, off_t offset) {
  static ssize_t (*next)(int, void *, size_t, off_t);
  uint64_t file = count == PAGE ? file_of(fd) : 0, number = offset / PAGE;
  if (!next)
    next = dlsym(RTLD_NEXT, "pread");
  if (file) {
    int64_t since = now(), wait;
    int n = file % FILES;
    if (files[n].file == file && files[n].next == number)
      for (; files[n].read_to < number + AHEAD; files[n].read_to++)
        ready(file, files[n].read_to, since);
    else
      files[n].file = file, files[n].read_to = number + 1;
    files[n].next = number + 1;
    wait = ready(file, number, since) - since;
    if (wait > 0)
      nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
  }
  return next(fd, buffer, count, offset);
}

int posix_fadvise(int fd, off_t offset, off_t length, int advice) {
  static int (*next)(int, off_t, off_t, int);
  uint64_t file = advice == POSIX_FADV_WILLNEED ? file_of(fd) : 0;
  if (!next)
    next = dlsym(RTLD_NEXT, "posix_fadvise");
  if (file)
    ready(file, offset / PAGE, now());
  return next(fd, offset, length, advice);
}
